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
import { keepReference } from './operations/renderReference.ts';
import type { FindPage, Page } from './page.ts';
import { readViewer } from './readViewer.ts';
import { renderStart, renderViewer } from './renderViewer.ts';

/** The same for both APIs. */
const searchIndex = keepZipped('application/json', () => Buffer.from(JSON.stringify(listEntries())));

/** By the template of their paths: see `createPages`. */
export default function findPages(document: OpenApiDocument, name: string, reference: Reference) {
  const viewer = renderViewer(document.info.title);
  const page = keepReference(document, name, reference);
  const place = { name, urls: reference.urls };
  const chapter = (href: string) => findChapterPage(place, href, listShown(reference));
  return {
    '/': () => renderLanding(name, reference),
    '/favicon.ico': () => favicon,
    '/favicon.svg': () => favicon,
    '/openapi.json': () => renderDocument(describeServed(document, name, reference)),
    '/docs': (_params, request) => page(request),
    '/docs/try': () => viewer,
    '/docs/start.js': () => renderStart(document, reference),
    '/docs/viewer.js': (_params, request) => readViewer(request),
    '/bar.css': (_params, request) => bar.find(request),
    '/handbook.css': (_params, request) => styleSheet.find(request),
    '/handbook.js': (_params, request) => script.find(request),
    '/handbook.json': (_params, request) => searchIndex(request),
    '/operations': () => renderOperations(place),
    '/errors': () => renderErrorIndex(place),
    '/errors/{code}': ({ code = '' }) => findErrorPage(place, code),
    '/guides': () => renderGuideIndex(place),
    '/guides/{slug}': ({ slug }) => findPicture(`/guides/${slug}`) ?? chapter(`/guides/${slug}`),
    '/operating': () => renderOperatingIndex(place),
    '/operating/alerts': () => renderAlertIndex(place),
    '/operating/alerts/{slug}': ({ slug }) => chapter(`/operating/alerts/${slug}`),
    '/operating/{slug}': ({ slug }) => chapter(`/operating/${slug}`),
    '/decisions': () => renderDecisionIndex(place),
    '/decisions/{slug}': ({ slug }) => chapter(`/decisions/${slug}`),
  } satisfies Record<string, FindPage>;
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
