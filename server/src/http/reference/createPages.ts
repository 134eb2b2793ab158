/**
 * `reference` serves an API's documentation: its OpenAPI document, a page to read it, and the handbook. The handbook
 * has a page for every error code (the `type` of a problem document points there), guides, and a start page that links
 * to all of these. Pages load nothing from other servers; their policy forbids it.
 */
import type { IncomingMessage } from 'node:http';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { describeServed, type Reference } from './describeServed.ts';
import { favicon } from './favicon.ts';
import {
  findChapterPage,
  findPicture,
  renderAlertIndex,
  renderDecisionIndex,
  renderGuideIndex,
  renderOperatingIndex,
} from './handbook/chapterPages.ts';
import { findErrorPage, renderErrorIndex } from './handbook/errorPages.ts';
import { listEntries } from './handbook/listEntries.ts';
import { renderLanding } from './handbook/renderLanding.ts';
import { renderOperations } from './handbook/renderOperations.ts';
import { bar, script, styleSheet } from './handbook/renderPage.ts';
import { keepZipped } from './keepZipped.ts';
import type { Page } from './page.ts';
import { readViewer } from './readViewer.ts';
import { renderReference, renderStart } from './renderReference.ts';

interface PageRoute {
  readonly template: string;
  readonly find: (
    params: Readonly<Record<string, string>>,
    request: IncomingMessage,
  ) => Page | undefined | Promise<Page | undefined>;
  /**
   * Only for requests whose Accept header asks for it. For other requests the path does not exist, as in the reference
   * service, which has no pages for browsers.
   */
  readonly accepts?: RegExp;
}

const NOWHERE: Reference = { isOpen: false, blockchains: [], urls: {}, readExamples: () => ({}) };

/** The same for both APIs. */
const searchIndex = keepZipped('application/json', () => Buffer.from(JSON.stringify(listEntries())));

export function createPages(document: OpenApiDocument, name: string, reference: Reference = NOWHERE): PageRoute[] {
  const page = renderReference(document.info.title);
  const place = { name, urls: reference.urls };
  const chapter = (href: string) => findChapterPage(place, href, listShown(reference));
  return [
    { template: '/', accepts: /text\/html|text\/\*|\*\/\*/, find: () => renderLanding(name, reference) },
    { template: '/favicon.ico', accepts: /image\/|\*\/\*/, find: () => favicon },
    { template: '/favicon.svg', find: () => favicon },
    { template: '/openapi.json', find: () => renderDocument(describeServed(document, name, reference)) },
    { template: '/docs', find: () => page },
    { template: '/docs/start.js', find: () => renderStart(document, reference) },
    { template: '/docs/viewer.js', find: (_params, request) => readViewer(request) },
    { template: '/bar.css', find: (_params, request) => bar.find(request) },
    { template: '/handbook.css', find: (_params, request) => styleSheet.find(request) },
    { template: '/handbook.js', find: (_params, request) => script.find(request) },
    { template: '/handbook.json', find: (_params, request) => searchIndex(request) },
    { template: '/operations', find: () => renderOperations(place) },
    { template: '/errors', find: () => renderErrorIndex(place) },
    { template: '/errors/{code}', find: ({ code = '' }) => findErrorPage(place, code) },
    { template: '/guides', find: () => renderGuideIndex(place) },
    {
      template: '/guides/{slug}',
      find: ({ slug }) => findPicture(`/guides/${slug}`) ?? chapter(`/guides/${slug}`),
    },
    { template: '/operating', find: () => renderOperatingIndex(place) },
    { template: '/operating/alerts', find: () => renderAlertIndex(place) },
    { template: '/operating/alerts/{slug}', find: ({ slug }) => chapter(`/operating/alerts/${slug}`) },
    { template: '/operating/{slug}', find: ({ slug }) => chapter(`/operating/${slug}`) },
    { template: '/decisions', find: () => renderDecisionIndex(place) },
    { template: '/decisions/{slug}', find: ({ slug }) => chapter(`/decisions/${slug}`) },
  ];
}

/** Values in guides, and their replacements. */
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
