import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from './openapi.ts';

/** The OpenAPI document that is the contract of this API. */
export const readDocument = (name: 'web3' | 'backend'): OpenApiDocument =>
  JSON.parse(readFileSync(new URL(`../../../../openapi/${name}.json`, import.meta.url), 'utf8')) as OpenApiDocument;
