import { type ErrorCode, errorTable } from '../../../core/errors.ts';
import { escapeHtml } from '../escapeHtml.ts';
import type { Page } from '../page.ts';
import { findChapter } from './contents.ts';
import { operations } from './operations.ts';
import { renderPage, type Site } from './renderPage.ts';

/** The page of one error code, generated from its row in the error table. */
export function findErrorPage(place: Site, code: string): Page | undefined {
  if (!Object.hasOwn(errorTable, code)) return undefined;
  const row = errorTable[code as ErrorCode];
  return renderPage(place, {
    title: `${code}: ${row.title}`,
    href: `/errors/${code}`,
    html: `<p class="crumbs"><a href="/errors">Errors</a></p>
<h1>${escapeHtml(row.title)}</h1>
<dl>
<dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
<dt>Status</dt><dd>${row.status}</dd>
<dt>Retry</dt><dd>${row.retryable ? 'The same request may succeed later.' : 'The same request will be refused again.'}</dd>
</dl>
<h2>Message</h2>
<p>${renderWords(row.detail)}</p>
<h2>What to do</h2>
<p>${renderWords(row.remedy)}</p>
${renderMore(code)}
${renderCallers(code as ErrorCode)}`,
  });
}

export function renderErrorIndex(place: Site): Page {
  const rows = Object.entries(errorTable).map(
    ([code, { status, title, retryable }]) =>
      `<tr><td><a href="/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${retryable ? 'yes' : ''}</td><td>${escapeHtml(title)}</td></tr>`,
  );
  return renderPage(place, {
    title: 'Errors',
    href: '/errors',
    html: `<h1>Errors</h1>
<p class="lead">Every failure that is not about the form of a request is a problem document with one of these codes. A
code never changes its meaning. <a href="/guides/errors-and-retries">How to handle them</a>.</p>
<p>A request that does not match the document is answered with 422 and a list of its faults; amounts are the usual case:
<a href="/guides/amounts">how to send exact amounts</a>.</p>
<div class="table codes"><table>
<thead><tr><th>Code</th><th>Status</th><th>Retry</th><th>What it means</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`,
  });
}

/** Text in backticks and `{name}`, a member of the answer, are code. */
function renderWords(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/(?<!\/)\{(\w+)\}/g, '<code>$1</code>');
}

const GUIDES: readonly { readonly codes: RegExp; readonly guide: string }[] = [
  { codes: /^amount\./, guide: 'amounts' },
  { codes: /^idempotency\./, guide: 'repeating-calls' },
  { codes: /^(auth|key|session)\./, guide: 'authentication' },
  { codes: /^(kyc|limit|user\.paused)/, guide: 'limits-and-kyc' },
  { codes: /^(payment|balance|transaction|recipient|address)\./, guide: 'pay-and-show' },
  { codes: /^(cursor|event)\./, guide: 'events' },
  { codes: /^webhook\./, guide: 'webhooks' },
  { codes: /^payout\./, guide: 'payouts' },
  { codes: /^(service|rate|request|internal)\./, guide: 'errors-and-retries' },
];

function renderMore(code: string): string {
  const guides = GUIDES.filter(({ codes }) => codes.test(code)).flatMap(
    ({ guide }) => findChapter(`/guides/${guide}`) ?? [],
  );
  const links = guides.map(({ href, title }) => `<a href="${href}">${escapeHtml(title)}</a>`);
  return links.length > 0 ? `<h2>More</h2>\n<p>${links.join(', ')}</p>` : '';
}

/** Most operations can answer errors about the connection or the service; a list of all of them would be useless. */
const MANY = 30;

function renderCallers(code: ErrorCode): string {
  const callers = operations.filter(({ codes }) => codes.includes(code));
  if (callers.length === 0) return '';
  if (callers.length > MANY) return '<h2>Answered by</h2>\n<p>Almost every operation.</p>';
  const items = callers.map(
    ({ id, method, path, summary }) =>
      `<li><a href="/operations#${escapeHtml(id)}"><code>${method} ${escapeHtml(path)}</code></a> ${escapeHtml(summary)}</li>`,
  );
  return `<h2>Answered by</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}
