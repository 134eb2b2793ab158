/**
 * `reference` serves an API's documentation: its OpenAPI document, a page to read it, and a page for every error code,
 * to which the `type` of a problem document points. Nothing is loaded from other servers: a policy on every page
 * forbids it.
 */
import type { IncomingMessage } from 'node:http';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { findErrorPage } from './findErrorPage.ts';
import type { Page } from './page.ts';
import { readViewer } from './readViewer.ts';
import { renderReference } from './renderReference.ts';

interface PageRoute {
  readonly template: string;
  readonly find: (
    params: Readonly<Record<string, string>>,
    request: IncomingMessage,
  ) => Page | undefined | Promise<Page | undefined>;
}

export function createPages(document: OpenApiDocument): PageRoute[] {
  const json: Page = { contentType: 'application/json', body: Buffer.from(JSON.stringify(document)), headers: [] };
  const { page, script } = renderReference(document.info.title);
  return [
    { template: '/openapi.json', find: () => json },
    { template: '/docs', find: () => page },
    { template: '/docs/start.js', find: () => script },
    { template: '/docs/viewer.js', find: (_params, request) => readViewer(request) },
    { template: '/errors/{code}', find: ({ code = '' }) => findErrorPage(code) },
  ];
}
