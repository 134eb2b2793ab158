import { posix } from 'node:path';
import { escapeHtml } from '../escapeHtml.ts';
import { hrefOf } from './contents.ts';

export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly level: number;
}

interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** What stands in code marks and has a page: an operation, an error code. */
type FindCode = (code: string) => string | undefined;

/**
 * The Markdown that our pages use: headings, paragraphs, lists with anything in their items, tables, quotes, fenced code,
 * pictures, code, bold, italic and links. `file` is where the text stands below `docs/`, which links start from.
 */
export function renderMarkdown(text: string, file: string, findCode: FindCode): Rendered {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();

  /** As GitHub names it, so that a link works there too. */
  function nameHeading(title: string): string {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }

  function renderHeading(level: number, words: string): string {
    const title = words.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const id = nameHeading(title);
    headings.push({ id, title, level });
    const anchor = level === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="Link to this part">#</a>`;
    return `<h${level} id="${id}">${renderInline(words)}${anchor}</h${level}>`;
  }

  function renderBlocks(lines: readonly string[]): string {
    const out: string[] = [];
    for (let i = 0; i < lines.length; ) {
      const block = takeBlock(lines, i);
      i = block.end;
      if (block.html !== '') out.push(block.html);
    }
    return out.join('\n');
  }

  function takeBlock(lines: readonly string[], start: number): { html: string; end: number } {
    const line = lines[start]!;
    const until = (isOver: (line: string, i: number) => boolean): number => {
      let end = start + 1;
      while (end < lines.length && !isOver(lines[end]!, end)) end++;
      return end;
    };
    if (line.trim() === '') return { html: '', end: start + 1 };
    const fence = /^```(\w*)/.exec(line);
    if (fence) {
      const end = until((one) => one.startsWith('```'));
      return { html: renderCode(fence[1]!, lines.slice(start + 1, end)), end: end + 1 };
    }
    const heading = /^(#{1,4}) (.+)$/.exec(line);
    if (heading) return { html: renderHeading(heading[1]!.length, heading[2]!), end: start + 1 };
    if (line.startsWith('|')) {
      const end = until((one) => !one.startsWith('|'));
      return { html: renderTable(lines.slice(start, end), renderInline), end };
    }
    if (line.startsWith('>')) {
      const end = until((one) => !one.startsWith('>'));
      const inner = lines.slice(start, end).map((one) => one.replace(/^> ?/, ''));
      return { html: `<blockquote>${renderBlocks(inner)}</blockquote>`, end };
    }
    if (MARKER.test(line)) {
      const isPart = (one: string, i: number) =>
        one.trim() === '' ? /^ {2}|^(- |\d+\. )/.test(lines[i + 1] ?? '') : /^\s/.test(one) || MARKER.test(one);
      const end = until((one, i) => !(isPart(one, i) || (one.trim() !== '' && lines[i - 1]!.trim() !== '')));
      return { html: renderList(lines.slice(start, end)), end };
    }
    const end = until((one) => one.trim() === '' || /^(```|#{1,4} |\|)/.test(one));
    return { html: `<p>${renderInline(lines.slice(start, end).join('\n'))}</p>`, end };
  }

  function renderList(lines: readonly string[]): string {
    const items: string[][] = [];
    let width = 0;
    for (const line of lines) {
      const marker = MARKER.exec(line)?.[0];
      if (marker !== undefined) width = marker.length;
      const indent = marker === undefined ? Math.min(width, Math.max(0, line.search(/\S/))) : width;
      if (marker === undefined) items.at(-1)!.push(line.slice(indent));
      else items.push([line.slice(indent)]);
    }
    const kind = /^\d/.test(lines[0]!) ? 'ol' : 'ul';
    const rendered = items.map((item) => {
      const html = renderBlocks(item);
      return `<li>${/^<p>(?:(?!<p>)[\s\S])*<\/p>$/.test(html) ? html.slice(3, -4) : html}</li>`;
    });
    return `<${kind}>\n${rendered.join('\n')}\n</${kind}>`;
  }

  function renderInline(words: string): string {
    let html = '';
    let at = 0;
    for (const match of words.matchAll(INLINE)) {
      const [all, label, href, code, bold, italic] = match;
      html += escapeHtml(words.slice(at, match.index));
      at = match.index + all.length;
      if (href !== undefined) html += renderLink(all.startsWith('!'), label!, href);
      else if (code !== undefined) html += renderName(code);
      else if (bold !== undefined) html += `<b>${renderInline(bold)}</b>`;
      else if (italic !== undefined) html += `<i>${renderInline(italic)}</i>`;
      else html += `<a href="${escapeHtml(all)}">${escapeHtml(all)}</a>`;
    }
    return html + escapeHtml(words.slice(at));
  }

  function renderName(code: string): string {
    const href = findCode(code);
    const shown = `<code>${escapeHtml(code)}</code>`;
    return href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`;
  }

  function renderLink(isPicture: boolean, label: string, href: string): string {
    const served = toServed(href, file);
    if (isPicture) return `<img src="${escapeHtml(served ?? href)}" alt="${escapeHtml(label)}">`;
    // Code in the label of a link must not become a second link.
    const shown = label.replace(/`([^`]*)`|([^`]+)/g, (_, code?: string, rest?: string) =>
      code === undefined ? escapeHtml(rest!) : `<code>${escapeHtml(code)}</code>`,
    );
    if (served !== undefined) return `<a href="${escapeHtml(served)}">${shown}</a>`;
    const place = toRepository(href, file);
    return label.includes(place) ? shown : `${shown} <span class="file">(${escapeHtml(place)})</span>`;
  }

  return { html: renderBlocks(text.split('\n')), headings };
}

const MARKER = /^(?:- |\d+\. )/;
const INLINE =
  /!?\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)|`([^`]+)`|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])|https?:\/\/[^\s<>()`]*[\w/]/gs;

const renderCode = (language: string, lines: readonly string[]): string => {
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)), 99);
  const text = lines.map((line) => line.slice(Math.min(indent, line.length))).join('\n');
  const label = LANGUAGES[language] ?? language;
  return `<div class="code" data-language="${escapeHtml(label)}"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>`;
};

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  env: 'Settings',
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  csv: 'CSV',
  sql: 'SQL',
  promql: 'PromQL',
};

function renderTable(lines: readonly string[], renderInline: (words: string) => string): string {
  const [head = [], , ...rows] = lines.map((line) =>
    [...line.replace(/^\||\|\s*$/g, '').matchAll(/((?:`[^`]*`|\\\||[^|])*)(?:\||$)/g)]
      .map(([, cell]) => cell!.replaceAll('\\|', '|').trim())
      .slice(0, -1),
  );
  const isBare = head.every((cell) => cell === '');
  const heads = head.map((cell) => `<th>${renderInline(cell)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map((cell, i) => {
      const label = row.length > 2 && i > 0 ? ` data-label="${escapeHtml((head[i] ?? '').replace(/[`*]/g, ''))}"` : '';
      return `<td${label}>${renderInline(cell)}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="table"><table>
${isBare ? '' : `<thead><tr>${heads}</tr></thead>\n`}<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}

/** In the repository, from its root. */
const toRepository = (href: string, file: string): string =>
  posix.join('docs', posix.dirname(file), href).replace(/\/$/, '');

/** Pages link to each other by file, as the repository has them. Undefined: it is not on the site. */
function toServed(href: string, file: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = toRepository(path, file);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === 'docs/errors/README.md' || target === 'docs/errors') return `/errors${hash}`;
  if (/^docs\/(decisions|operating\/alerts|guides)$/.test(target)) return target.slice('docs'.length);
  if (/^openapi\/(web3|backend)\.json$/.test(target)) return '/operations';
  if (/^docs\/guides\/[\w-]+\.svg$/.test(target)) return target.slice('docs'.length);
  if (!/^docs\/.*\.md$/.test(target)) return undefined;
  return hrefOf(target.slice('docs/'.length)) + hash;
}
