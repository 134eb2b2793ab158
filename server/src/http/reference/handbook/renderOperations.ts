import { escapeHtml } from '../escapeHtml.ts';
import type { Page } from '../page.ts';
import { API_TITLES, type Described, findCode, operations } from './operations.ts';
import { renderMarkdown } from './renderMarkdown.ts';
import { renderPage, type Site } from './renderPage.ts';

/** Both APIs in one list that needs no script. The reference of each API shows bodies and examples. */
export function renderOperations(place: Site): Page {
  const apis = (['backend', 'web3'] as const).map((api) => {
    const own = operations.filter((one) => one.api === api);
    const tags = [...new Set(own.map(({ tag }) => tag))];
    const groups = tags.map(
      (tag) => `<h3>${escapeHtml(tag)}</h3>
${own
  .filter((one) => one.tag === tag)
  .map((one) => renderOperation(place, one))
  .join('\n')}`,
    );
    return `<h2 id="${api}">${API_TITLES[api]}</h2>\n${groups.join('\n')}`;
  });
  return renderPage(place, {
    title: 'All operations',
    href: '/operations',
    headings: (['backend', 'web3'] as const).map((api) => ({ id: api, title: API_TITLES[api], level: 2 })),
    html: `<h1>All operations</h1>
<p class="lead">Every operation with the errors that it can answer. The references show every member of every body, and
examples.</p>
${apis.join('\n')}`,
  });
}

function renderOperation(place: Site, { api, id, method, path, summary, description, codes }: Described): string {
  const base = api === place.name ? '' : place.urls[api];
  const reference = base === undefined ? undefined : `${base}/docs#${id}`;
  const links = codes.map((code) => `<a href="/errors/${code}"><code>${code}</code></a>`);
  return `<section class="operation" id="${escapeHtml(id)}">
<h4><code>${method} ${escapeHtml(path)}</code><a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to this operation">#</a></h4>
<p><b>${escapeHtml(summary)}.</b></p>
${renderMarkdown(description, 'README.md', findCode).html}
${reference ? `<p><a href="${escapeHtml(reference)}">Parameters, bodies and examples</a></p>` : ''}
${links.length > 0 ? `<details><summary>${links.length} errors</summary><p>${links.join(' ')}</p></details>` : ''}
</section>`;
}
