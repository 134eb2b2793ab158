import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readBuildVersion } from '../../../db/readSql.ts';
import type { OpenApiDocument, OperationObject } from '../../contract/openapi.ts';
import { describeServed, type Reference } from '../describeServed.ts';
import { escapeHtml } from '../escapeHtml.ts';
import { findCode, operations } from '../handbook/operations.ts';
import { renderMarkdown } from '../handbook/renderMarkdown.ts';
import { renderPage } from '../handbook/renderPage.ts';
import type { Page } from '../page.ts';
import { renderCall } from './renderCall.ts';

interface Tagged extends OperationObject {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
}

/**
 * The reference of one API, which needs no script: every operation with its parameters, bodies, examples and errors. The
 * viewer, which makes calls, has its own page, so that nobody waits for its script who only reads.
 */
function renderReference(given: OpenApiDocument, name: string, reference: Reference, release: string): Page {
  const document = describeServed(given, name, reference);
  const { title, version, description } = given.info;
  const base = reference.urls[name as keyof typeof reference.urls] ?? '';
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as Tagged,
      base,
    })),
  );
  const tags = [...new Set(calls.map(({ operation }) => operation.tags?.[0] ?? 'other'))];
  const headings = tags.map((tag) => ({ id: `tag-${tag}`, title: tag.replaceAll('_', ' '), level: 2 }));
  const groups = headings.map(({ id, title: heading }, nth) => {
    const own = calls.filter(({ operation }) => (operation.tags?.[0] ?? 'other') === tags[nth]);
    return `<h2 id="${escapeHtml(id)}">${escapeHtml(heading)}</h2>\n${own.map((one) => renderOperation(document, one)).join('\n')}`;
  });
  const about = renderMarkdown(String(description).replace(/^(#+) /gm, '##$1 '), 'README.md', findCode).html;
  return renderPage(
    { name, urls: reference.urls },
    {
      title,
      href: '/docs',
      headings,
      html: `<h1>${escapeHtml(title)}</h1>
<p class="lead">Version ${escapeHtml(version)} of the interface, served by Florin ${escapeHtml(release)}. The version of the interface
changes when the interface does; a new release of Florin usually keeps it.</p>
<p><a class="try" href="/docs/try">Try calls in the browser</a> · <a href="/openapi.json">OpenAPI document</a> · <a href="/operations">Both APIs in one list</a></p>
${about}
${groups.join('\n')}`,
    },
  );
}

function renderOperation(
  document: OpenApiDocument,
  call: { readonly path: string; readonly method: string; readonly operation: Tagged; readonly base: string },
): string {
  const { operationId: id, summary = '', description = '', tags } = call.operation;
  const codes = operations.find((one) => one.id === id && one.path === call.path)?.codes ?? [];
  const links = codes.map((code) => `<a href="/errors/${code}"><code>${code}</code></a>`);
  return `<section class="operation" id="${escapeHtml(id)}">
<h3><code>${call.method} ${escapeHtml(call.path)}</code><a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to this operation">#</a></h3>
<p><b>${escapeHtml(summary)}.</b></p>
${renderMarkdown(description, 'README.md', findCode).html}
<details><summary>Request and answer</summary>
${renderCall(document, call)}
<p><a href="/docs/try#tag/${escapeHtml(tags?.[0] ?? '')}/${call.method}${escapeHtml(call.path)}">Try it</a></p>
</details>
${links.length > 0 ? `<details><summary>${links.length} errors</summary><p>${links.join(' ')}</p></details>` : ''}
</section>`;
}

/** Drawn again only when the sandbox's examples have changed. */
export function keepReference(
  document: OpenApiDocument,
  name: string,
  reference: Reference,
): (request: IncomingMessage) => Promise<Page> {
  let kept: { readonly examples: string; readonly page: Page; readonly small: Promise<Buffer> } | undefined;
  return async (request) => {
    const examples = JSON.stringify(reference.readExamples());
    if (kept?.examples !== examples) {
      const page = renderReference(document, name, reference, await readBuildVersion());
      kept = { examples, page, small: promisify(gzip)(page.body) };
    }
    const { page, small } = kept;
    const headers = [...page.headers, 'Vary', 'Accept-Encoding'];
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return { ...page, headers };
    return { ...page, headers: [...headers, 'Content-Encoding', 'gzip'], body: await small };
  };
}
