import type { Page } from '../page.ts';
import { type Chapter, findChapter, listAside, parts, readAsset, toPlain } from './contents.ts';
import { findCode } from './operations.ts';
import { renderMarkdown } from './renderMarkdown.ts';
import { renderCard, renderPage, type Site } from './renderPage.ts';

/** `values` replace values in the text, as in the examples of the document. */
export function findChapterPage(place: Site, href: string, values: Readonly<Record<string, string>>): Page | undefined {
  const chapter = findChapter(href);
  if (!chapter) return undefined;
  const text = Object.entries(values).reduce((done, [shown, value]) => done.replaceAll(shown, value), chapter.text);
  const { html, headings } = renderMarkdown(text, chapter.file, findCode);
  return renderPage(place, { title: chapter.title, html: renderCrumbs(href) + html, headings, href });
}

/** The link back to the index, for pages that the menu does not show. */
function renderCrumbs(href: string): string {
  const [folder, title] = CRUMBS.find(([above]) => href.startsWith(`${above}/`)) ?? [];
  return folder === undefined ? '' : `<p class="crumbs"><a href="${folder}">${title}</a></p>\n`;
}

const CRUMBS = [
  ['/operating/alerts', 'Alerts'],
  ['/decisions', 'Decisions'],
] as const;

/** Drawn by scripts, for light and dark. Opened directly, a picture may use its own style and nothing else. */
const PICTURES = new Map(
  ['states'].map((name) => [
    `/guides/${name}.svg`,
    {
      contentType: 'image/svg+xml',
      body: readAsset(`guides/${name}.svg`),
      headers: ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
    },
  ]),
);

export const findPicture = (href: string): Page | undefined => PICTURES.get(href);

export const renderGuideIndex = (place: Site): Page =>
  renderPage(place, {
    title: 'Guides',
    href: '/guides',
    html: `<h1>Guides</h1>
<p class="lead">From a first payment to a running service. A test runs every command and every example in the guides.</p>
${renderParts(() => true)}`,
  });

export const renderOperatingIndex = (place: Site): Page =>
  renderPage(place, {
    title: 'Operate',
    href: '/operating',
    html: `<h1>Operate</h1>
<p class="lead">For the people who run the service.</p>
${renderCards(parts.find(({ title }) => title === 'Operate')?.chapters ?? [])}
<h2>Alerts</h2>
${renderList(listAside('operating/alerts/'))}`,
  });

export const renderAlertIndex = (place: Site): Page =>
  renderPage(place, {
    title: 'Alerts',
    href: '/operating/alerts',
    html: `<h1>Alerts</h1>\n<p class="lead">What each alert means, and what to do.</p>\n${renderList(listAside('operating/alerts/'))}`,
  });

export const renderDecisionIndex = (place: Site): Page =>
  renderPage(place, {
    title: 'Decisions',
    href: '/decisions',
    html: `<h1>Decisions</h1>
<p class="lead">Each decision with its reasons and the alternatives that were rejected. One page each, oldest first.</p>
${renderList(listAside('decisions/'))}`,
  });

export const renderParts = (isWanted: (title: string) => boolean): string =>
  parts
    .filter(({ title }) => isWanted(title))
    .map(({ title, chapters }) => `<h2>${title}</h2>\n${renderCards(chapters)}`)
    .join('\n');

const renderCards = (chapters: readonly Chapter[]): string =>
  `<ul class="cards">\n${chapters.map(({ href, title, about }) => renderCard(href, title, summarize(about))).join('\n')}\n</ul>`;

const renderList = (chapters: readonly Chapter[]): string =>
  `<ul class="rows">\n${chapters.map(({ href, title, about }) => renderCard(href, toPlain(title), summarize(about))).join('\n')}\n</ul>`;

const ENOUGH_LETTERS = 60;

/** As many sentences as fit on a card. */
function summarize(about: string): string {
  let summary = '';
  for (const sentence of about.split(/(?<=[.!?]) /)) {
    if (summary.length >= ENOUGH_LETTERS) break;
    summary = `${summary} ${sentence}`.trim();
  }
  return summary;
}
