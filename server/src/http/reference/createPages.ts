/**
 * `reference` serves an API's documentation: its OpenAPI document, a page to read it, and the handbook. The handbook
 * has a page for every error code (the `type` of a problem document points there), guides, and a start page that links
 * to all of these. Pages load nothing from other servers; their policy forbids it.
 */
import type { OpenApiDocument } from '../contract/openapi.ts';
import type { Reference } from './describeServed.ts';
import type { FindPage } from './page.ts';

interface PageRoute {
  readonly template: PageTemplate;
  readonly find: FindPage;
  /**
   * Only for requests whose Accept header asks for it. For other requests the path does not exist, as in the reference
   * service, which has no pages for browsers.
   */
  readonly accepts?: RegExp;
}

const TEMPLATES = [
  '/',
  '/favicon.ico',
  '/favicon.svg',
  '/openapi.json',
  '/docs',
  '/docs/try',
  '/docs/start.js',
  '/docs/viewer.js',
  '/bar.css',
  '/handbook.css',
  '/handbook.js',
  '/handbook.json',
  '/operations',
  '/errors',
  '/errors/{code}',
  '/guides',
  '/guides/{slug}',
  '/operating',
  '/operating/alerts',
  '/operating/alerts/{slug}',
  '/operating/{slug}',
  '/decisions',
  '/decisions/{slug}',
] as const;

type PageTemplate = (typeof TEMPLATES)[number];

const ACCEPTS: Partial<Record<PageTemplate, RegExp>> = {
  '/': /text\/html|text\/\*|\*\/\*/,
  '/favicon.ico': /image\/|\*\/\*/,
};

const NOWHERE: Reference = { isOpen: false, blockchains: [], urls: {}, readExamples: () => ({}) };

/** The code of the pages is loaded with the first one that is opened: after a crash, payments come first. */
export function createPages(document: OpenApiDocument, name: string, reference: Reference = NOWHERE): PageRoute[] {
  let pages: Promise<Readonly<Record<PageTemplate, FindPage>>> | undefined;
  const load = () =>
    (pages ??= import('./findPages.ts').then(({ default: findPages }) => findPages(document, name, reference)));
  return TEMPLATES.map((template) => ({
    template,
    find: async (params, request) => (await load())[template](params, request),
    ...(ACCEPTS[template] && { accepts: ACCEPTS[template] }),
  }));
}
