import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { escapeHtml } from './escapeHtml.ts';
import type { Page } from './page.ts';
import { renderHtml } from './renderHtml.ts';

/** The page of one error code, made from its row in the table of errors. */
export function findErrorPage(code: string): Page | undefined {
  if (!Object.hasOwn(errorTable, code)) return undefined;
  const row = errorTable[code as ErrorCode];
  return renderHtml(
    `${code}: ${row.title}`,
    `<h1>${escapeHtml(row.title)}</h1>
<dl>
<dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
<dt>Status</dt><dd>${row.status}</dd>
<dt>Retry</dt><dd>${row.retryable ? 'The same request may succeed later.' : 'The same request will be refused again.'}</dd>
</dl>
<h2>What it says</h2>
<p>${renderWords(row.says)}</p>
<h2>What to do</h2>
<p>${renderWords(row.remedy)}</p>
${findMore(code)}`,
  );
}

export function renderErrorIndex(): Page {
  const rows = Object.entries(errorTable).map(
    ([code, { status, title }]) =>
      `<tr><td><a href="/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`,
  );
  return renderHtml(
    'Errors',
    `<h1>Errors</h1>
<p class="lead">Every failure that is not about the form of a request is a problem document with one of these codes. A
code never changes its meaning.</p>
<p>What the document itself refuses is answered with 422 and a list of what is wrong; amounts are the usual case:
<a href="/guides/amounts">how to send exact amounts</a>.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>What it means</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`,
  );
}

/** Text in backticks and `{name}`, a member of the answer, are code. */
function renderWords(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/(?<!\/)\{(\w+)\}/g, '<code>$1</code>');
}

const GUIDES: readonly { readonly codes: RegExp; readonly link: string }[] = [
  { codes: /^amount\./, link: '<a href="/guides/amounts">How to send exact amounts</a>' },
  { codes: /^idempotency\./, link: '<a href="/guides/repeating-calls">How to repeat a call</a>' },
  { codes: /^(auth|key)\./, link: '<a href="/guides/authentication">How to authenticate</a>' },
];

function findMore(code: string): string {
  const links = GUIDES.filter(({ codes }) => codes.test(code)).map(({ link }) => link);
  return links.length > 0 ? `<h2>More</h2>\n<p>${links.join(', ')}</p>` : '';
}
