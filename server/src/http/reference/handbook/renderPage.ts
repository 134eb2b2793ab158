import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reference } from '../describeServed.ts';
import { escapeHtml } from '../escapeHtml.ts';
import type { Page } from '../page.ts';
import { type Chapter, chapters, parts, readAsset } from './contents.ts';
import { API_TITLES } from './operations.ts';
import type { Heading } from './renderMarkdown.ts';

/** The API that serves the pages, and the address of the other one. */
export interface Site {
  readonly name: string;
  readonly urls: Reference['urls'];
}

interface Content {
  readonly title: string;
  readonly html: string;
  /** The page's own path, to mark it in the navigation. */
  readonly href: string;
  readonly headings?: readonly Heading[];
}

/** Scripts and styles come only from this server, and none are inline. Scripts cannot turn text into markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

interface Part {
  /** The path with a version, which changes with the file. */
  readonly url: string;
  /** A path with a version can be cached forever; another release uses another path. */
  find(request: IncomingMessage): Page;
}

function readPart(name: string, contentType: string): Part {
  const body = readAsset(`handbook/${name}`);
  const url = `/${name}?v=${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
  const kept = { contentType, body, headers: ['Cache-Control', 'public, max-age=31536000, immutable'] };
  const asked = { contentType, body, headers: ['Cache-Control', 'no-cache'] };
  return { url, find: (request) => (request.url === url ? kept : asked) };
}

const CSS = 'text/css; charset=utf-8';
export const bar = readPart('bar.css', CSS);
export const styleSheet = readPart('handbook.css', CSS);
export const script = readPart('handbook.js', 'text/javascript; charset=utf-8');

/** Every page except the viewers of the references. */
export function renderPage(place: Site, { title, html, href, headings = [] }: Content): Page {
  const marked = headings.filter(({ level }) => level === 2);
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Florin</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${bar.url}">
<link rel="stylesheet" href="${styleSheet.url}">
<script src="${script.url}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
${renderBar(MENU_BUTTON)}
<div class="frame">
<nav id="menu" popover aria-label="All pages">
${renderMenu(place, href)}
</nav>
<main id="content">
${html}
${renderNeighbours(href)}
</main>
${marked.length > 1 ? renderOutline(marked) : ''}
</div>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  return { contentType: 'text/html; charset=utf-8', body, headers };
}

/** The bar at the top. The search needs the script, which shows it. */
export const renderBar = (button = ''): string => `<header class="bar">
<a class="brand" href="/"><img src="/favicon.svg" alt="" width="24" height="24">Florin</a>
<div class="search" hidden>
<input type="search" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" enterkeyhint="go" placeholder="Search" aria-label="Search guides, operations and errors">
<kbd aria-hidden="true">/</kbd>
<div class="found" hidden><ul id="found" role="listbox" aria-label="Found"></ul><p role="status"></p></div>
</div>
<div class="links"><a href="/guides">Guides</a><a href="/docs">Reference</a><a href="/errors">Errors</a><a href="/operating">Operate</a></div>
${button}
</header>`;

/** Opens the menu on a phone, without a script; on a wide screen the menu stands beside the text. */
const MENU_BUTTON = '<button type="button" class="menu" popovertarget="menu">Menu</button>';

function renderMenu({ name, urls }: Site, here: string): string {
  const other = name === 'web3' ? 'backend' : 'web3';
  const own = name === 'web3' ? 'web3' : 'backend';
  const references: Link[] = [
    { href: '/operations', title: 'All operations' },
    { href: '/docs', title: API_TITLES[own] },
    ...(urls[other] ? [{ href: `${urls[other]}/docs`, title: API_TITLES[other] }] : []),
    { href: '/errors', title: 'Errors' },
  ];
  const [first, ...rest] = parts.map((part) => ({ title: part.title, links: part.chapters }));
  const groups = [
    first!,
    { title: 'Reference', links: references },
    ...rest,
    { title: 'Background', links: [{ href: '/decisions', title: 'Decisions' }] },
  ];
  return groups.map((group) => renderGroup(group, here)).join('\n');
}

interface Link {
  readonly href: string;
  readonly title: string;
}

const renderGroup = ({ title, links }: { title: string; links: readonly Link[] }, here: string): string =>
  `<h2>${escapeHtml(title)}</h2>
<ul>
${links.map((link) => `<li><a href="${escapeHtml(link.href)}"${isHere(link.href, here) ? ' aria-current="page"' : ''}>${escapeHtml(link.title)}</a></li>`).join('\n')}
</ul>`;

const isHere = (href: string, here: string): boolean =>
  href === here || (['/errors', '/decisions'].includes(href) && here.startsWith(`${href}/`));

const renderOutline = (headings: readonly Heading[]): string => `<aside aria-label="On this page">
<h2>On this page</h2>
<ul>
${headings.map(({ id, title }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`).join('\n')}
</ul>
</aside>`;

function renderNeighbours(href: string): string {
  const at = chapters.findIndex((chapter) => chapter.href === href);
  if (at === -1) return '';
  const [before, after] = [chapters[at - 1], chapters[at + 1]];
  const link = (chapter: Chapter | undefined, kind: string, rel: string) =>
    chapter
      ? `<a rel="${rel}" href="${chapter.href}"><small>${kind}</small>${escapeHtml(chapter.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'Previous', 'prev')}${link(after, 'Next', 'next')}</nav>`;
}

export const renderCard = (href: string, title: string, about: string): string =>
  `<li><a href="${escapeHtml(href)}"><b>${escapeHtml(title)}</b>${escapeHtml(about)}</a></li>`;
