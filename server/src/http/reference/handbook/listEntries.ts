import { errorTable } from '../../../core/errors.ts';
import { chapters, listAside, toPlain } from './contents.ts';
import { API_TITLES, findCode, operations } from './operations.ts';
import { renderMarkdown } from './renderMarkdown.ts';

/** A search result and the words that find it: title, address, kind, first words, other words. */
type Entry = readonly [title: string, href: string, kind: string, about: string, words: string];

const ABOUT_LENGTH = 120;

/** Everything that the search finds: each section of each page, each operation, each error code. */
export function listEntries(): Entry[] {
  const pages = [...chapters, ...listAside('operating/alerts/')].flatMap(({ text, file, href, title }) => {
    const { headings } = renderMarkdown(text, file, findCode);
    const kind = file.startsWith('operating/') ? 'Operate' : 'Guide';
    return splitParts(text).map((part, i): Entry => {
      const heading = headings[i];
      const isPage = i === 0 || heading === undefined;
      return [
        isPage ? title : heading.title,
        isPage ? href : `${href}#${heading.id}`,
        isPage ? kind : title,
        shorten(toPlain(part.replace(/^#+ .*$/m, '').split(/^(?:```|\|)/m)[0]!)),
        listWords(part),
      ];
    });
  });
  const calls = operations.map(
    ({ api, id, method, path, summary, description }): Entry => [
      `${method} ${path}`,
      `/operations#${id}`,
      API_TITLES[api],
      summary,
      listWords(`${id} ${summary} ${description}`),
    ],
  );
  const errors = Object.entries(errorTable).map(
    ([code, { status, title, detail, remedy }]): Entry => [
      code,
      `/errors/${code}`,
      'Error',
      title,
      listWords(`${status} ${title} ${detail} ${remedy}`),
    ],
  );
  return [...pages, ...calls, ...errors];
}

/** Splits a page at its headings; a line in a code block is never a heading. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (parts.length === 0 || (!isCode && /^#{1,4} /.test(line))) parts.push(line);
    else parts.push(`${parts.pop()}\n${line}`);
  }
  return parts;
}

const shorten = (text: string): string =>
  text.length <= ABOUT_LENGTH ? text : `${text.slice(0, text.lastIndexOf(' ', ABOUT_LENGTH))} …`;

/** Each word once, as it is typed. */
const listWords = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*[\p{L}\p{N}]/gu) ?? [])].join(' ');
