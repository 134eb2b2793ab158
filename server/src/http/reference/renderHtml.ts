import { createHash } from 'node:crypto';
import { escapeHtml } from './escapeHtml.ts';
import type { Page } from './page.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --paper: #fff; --tint: #f3f5f7;
  --accent: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d; --paper: #0f1318; --tint: #1b2129; --accent: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: 2rem; color: var(--soft); }
nav a { color: inherit; text-decoration: none; }
nav a:first-child { font-weight: 600; color: var(--ink); }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .25rem; }
p, ul, ol { margin: .5rem 0; overflow-wrap: anywhere; }
ul, ol { padding-left: 1.25rem; }
.lead { color: var(--soft); }
code { font: .9em/1.4 ui-monospace, monospace; background: var(--tint); border-radius: .3em; padding: .1em .35em; }
pre { background: var(--tint); border-radius: .5rem; padding: .85rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: 1.5rem 0; padding: 1rem 0;
  border: solid var(--line); border-width: 1px 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.cards { display: grid; gap: .75rem; list-style: none; margin: 1rem 0; padding: 0;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.cards a { display: block; height: 100%; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem;
  color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards b { display: block; color: var(--accent); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
td:first-child { white-space: nowrap; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
@media (max-width: 32rem) {
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td { border: 0; padding: 0; }
  td:first-child { white-space: normal; overflow-wrap: anywhere; }
}
`;

const HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; img-src 'self'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The look of all pages but the viewer: one style sheet, no script, nothing from elsewhere. */
export function renderHtml(title: string, body: string): Page {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<nav><a href="/">Florin</a><a href="/docs">Reference</a><a href="/errors">Errors</a><a href="/guides">Guides</a></nav>
${body}
</main>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  return { contentType: 'text/html; charset=utf-8', body: html, headers };
}
