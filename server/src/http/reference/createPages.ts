/**
 * `reference` is what an API tells about itself to people: its OpenAPI document, a page to read it with, and a page
 * for every error code, which the `type` of a problem document points to. Nothing here is fetched from elsewhere.
 */
import type { OpenApiDocument } from '../contract/openapi.ts';

export interface Page {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}

export interface PageRoute {
  readonly template: string;
  readonly find: (params: Readonly<Record<string, string>>) => Page | undefined;
}

export function createPages(document: OpenApiDocument): PageRoute[] {
  const json: Page = { contentType: 'application/json', body: JSON.stringify(document), headers: [] };
  return [{ template: '/openapi.json', find: () => json }];
}
