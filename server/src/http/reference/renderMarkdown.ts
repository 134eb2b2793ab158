import { escapeHtml } from './escapeHtml.ts';

/** The Markdown that our guides use: headings, paragraphs, lists, fenced code, code, bold and links. */
export function renderMarkdown(text: string): string {
  return text
    .split(/^```\w*\n([\s\S]*?)^```$/m)
    .map((part, i) => (i % 2 === 1 ? `<pre><code>${escapeHtml(part)}</code></pre>` : renderBlocks(part)))
    .join('\n');
}

const renderBlocks = (text: string): string =>
  text
    .trim()
    .split(/\n{2,}/)
    .map(renderBlock)
    .join('\n');

function renderBlock(block: string): string {
  const heading = /^(#{1,3}) (.+)$/.exec(block);
  if (heading) return `<h${heading[1]!.length}>${renderInline(heading[2]!)}</h${heading[1]!.length}>`;
  if (/^- /.test(block)) return `<ul>${renderItems(block, /\n(?=- )/)}</ul>`;
  if (/^\d+\. /.test(block)) return `<ol>${renderItems(block, /\n(?=\d+\. )/)}</ol>`;
  return block === '' ? '' : `<p>${renderInline(block)}</p>`;
}

const renderItems = (block: string, between: RegExp): string =>
  block
    .split(between)
    .map((item) => `<li>${renderInline(item.replace(/^(- |\d+\. )/, ''))}</li>`)
    .join('\n');

/** Code first: what stands in it is not Markdown. */
function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : renderWords(part)))
    .join('');
}

const renderWords = (text: string): string =>
  escapeHtml(text)
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(
      /\[([^\]]+)\]\(([^)\s]+)\)/g,
      (_, label: string, href: string) => `<a href="${toServed(href)}">${label}</a>`,
    );

/** Guides link to each other and to the errors by file, as the repository has them. */
const toServed = (href: string): string =>
  href
    .replace(/^\.\.\/errors\/README\.md$/, '/errors')
    .replace(/^\.\.\/errors\/([\w.]+)\.md$/, '/errors/$1')
    .replace(/^([\w-]+)\.md$/, '/guides/$1');
