import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
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

/** Inline code that has a page: an operation, an error code. */
type FindCode = (code: string) => string | undefined;

/**
 * GitHub's Markdown without raw HTML. Code in the text links to its page; `file`, a path below `docs/`, is where relative
 * links start.
 */
export function renderMarkdown(text: string, file: string, findCode: FindCode): Rendered {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  let isInLink = false;

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

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = nameHeading(title);
        headings.push({ id, title, level: depth });
        const anchor = depth === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="Link to this part">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const label = escapeHtml(LANGUAGES[lang] ?? lang);
        return `<div class="code" data-language="${label}"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
      },
      table({ header, rows }) {
        const render = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        const labels = header.map(({ tokens }) => this.parser.parseInline(tokens, this.parser.textRenderer));
        const body = rows.map((row) => {
          const cells = row.map((cell, i) => {
            const label = row.length > 2 && i > 0 ? ` data-label="${escapeHtml(labels[i]!)}"` : '';
            return `<td${label}>${render(cell)}</td>`;
          });
          return `<tr>${cells.join('')}</tr>\n`;
        });
        const heads = header.map((cell) => `<th>${render(cell)}</th>`).join('');
        const head = labels.every((label) => label === '') ? '' : `<thead><tr>${heads}</tr></thead>\n`;
        return `<div class="table"><table>\n${head}<tbody>\n${body.join('')}</tbody>\n</table></div>\n`;
      },
      codespan({ text }) {
        const href = isInLink ? undefined : findCode(text);
        const shown = `<code>${escapeHtml(text)}</code>`;
        return href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`;
      },
      link({ href, text, tokens }) {
        isInLink = true;
        const shown = this.parser.parseInline(tokens);
        isInLink = false;
        const served = toServed(href, file);
        if (served !== undefined) return `<a href="${escapeHtml(served)}">${shown}</a>`;
        const place = toRepository(href, file);
        return text.includes(place) ? shown : `${shown} <span class="file">(${escapeHtml(place)})</span>`;
      },
      image: ({ href, text }) => `<img src="${escapeHtml(toServed(href, file) ?? href)}" alt="${escapeHtml(text)}">`,
      html: ({ text }) => escapeHtml(text),
    },
  });
  return { html: marked.parse(text, { async: false }), headings };
}

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
