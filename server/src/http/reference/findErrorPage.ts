import { createHash } from 'node:crypto';
import { errorTable } from '../../core/errors.ts';
import { escapeHtml } from './escapeHtml.ts';
import type { Page } from './page.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --paper: #fff; --tint: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d; --paper: #0f1318; --tint: #1b2129; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0; overflow-wrap: anywhere; }
code { font: .9em/1.4 ui-monospace, monospace; background: var(--tint); border-radius: .3em; padding: .1em .35em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: 1.5rem 0; padding: 1rem 0;
  border: solid var(--line); border-width: 1px 0; }
dt { color: var(--soft); }
dd { margin: 0; }
footer { margin-top: 3rem; color: var(--soft); }
a { color: inherit; }
`;

const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The page of one error code, made from its row in the table of errors. */
export function findErrorPage(code: string): Page | undefined {
  if (!Object.hasOwn(errorTable, code)) return undefined;
  const row = errorTable[code as keyof typeof errorTable];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(code)}: ${escapeHtml(row.title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(row.title)}</h1>
<dl>
<dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
<dt>Status</dt><dd>${row.status}</dd>
<dt>Retry</dt><dd>${row.retryable ? 'The same request may succeed later.' : 'The same request will be refused again.'}</dd>
</dl>
<h2>What it says</h2>
<p>${renderWords(row.says)}</p>
<h2>What to do</h2>
<p>${renderWords(row.remedy)}</p>
<footer><a href="/docs">API reference</a></footer>
</main>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  return { contentType: 'text/html; charset=utf-8', body: html, headers };
}

/** Shows text in backticks and `{name}`, a member of the answer, as code. */
function renderWords(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\{(\w+)\}/g, '<code>$1</code>');
}
