/**
 * `reference` serves an API's documentation: its OpenAPI document, a page to read it, a page for every error code, to
 * which the `type` of a problem document points, guides, and a page that leads to all of these. Nothing is loaded from
 * other servers: a policy on every page forbids it.
 */
import type { IncomingMessage } from 'node:http';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { describeServed, type Reference } from './describeServed.ts';
import { findErrorPage, renderErrorIndex } from './errorPages.ts';
import { favicon } from './favicon.ts';
import { findGuide, renderGuideIndex } from './guides.ts';
import type { Page } from './page.ts';
import { readViewer } from './readViewer.ts';
import { renderLanding } from './renderLanding.ts';
import { renderReference, renderStart } from './renderReference.ts';

interface PageRoute {
  readonly template: string;
  readonly find: (
    params: Readonly<Record<string, string>>,
    request: IncomingMessage,
  ) => Page | undefined | Promise<Page | undefined>;
  /**
   * Only for requests whose Accept header asks for it. Elsewhere the path does not exist, as in the reference, which
   * knows nothing of browsers.
   */
  readonly accepts?: RegExp;
}

const NOWHERE: Reference = { isOpen: false, blockchains: [], urls: {}, readExamples: () => ({}) };

export function createPages(document: OpenApiDocument, name: string, reference: Reference = NOWHERE): PageRoute[] {
  const page = renderReference(document.info.title);
  return [
    { template: '/', accepts: /text\/html|text\/\*|\*\/\*/, find: () => renderLanding(name, reference) },
    { template: '/favicon.ico', accepts: /image\/|\*\/\*/, find: () => favicon },
    { template: '/favicon.svg', find: () => favicon },
    { template: '/openapi.json', find: () => renderDocument(describeServed(document, name, reference)) },
    { template: '/docs', find: () => page },
    { template: '/docs/start.js', find: () => renderStart(document, reference) },
    { template: '/docs/viewer.js', find: (_params, request) => readViewer(request) },
    { template: '/errors', find: renderErrorIndex },
    { template: '/errors/{code}', find: ({ code = '' }) => findErrorPage(code) },
    { template: '/guides', find: renderGuideIndex },
    { template: '/guides/{slug}', find: ({ slug = '' }) => findGuide(slug, listShown(reference)) },
  ];
}

/** What guides show, and what they show instead. */
const listShown = ({ urls, readExamples }: Reference): Record<string, string> => ({
  ...(urls.web3 && { 'http://127.0.0.1:8000': urls.web3 }),
  ...(urls.backend && { 'http://127.0.0.1:8001': urls.backend }),
  ...readExamples(),
});

const renderDocument = (document: OpenApiDocument): Page => ({
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(document)),
  headers: [],
});
