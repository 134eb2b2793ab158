/**
 * Shared by the sandbox's own pages: their style, and headers that allow only that style sheet. No page has a script.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const LOOK = `
:root { color-scheme: light dark; --ink: #181b18; --soft: #5a625c; --line: #e4e2dc; --card: #ffffff; --ground: #f7f6f3;
  --accent: #0f6b4f; --on-accent: #ffffff; --good: #0f6b4f; --good-ground: #e2f2ea; --bad: #a5281f; --bad-ground: #fbeae8;
  --wait: #7a4d00; --wait-ground: #fbf0da; --tag: #e2f2ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #ecefec; --soft: #a3aca5; --line: #2b302c; --card: #1a1d1b;
  --ground: #121412; --accent: #5fd3a8; --on-accent: #06281c; --good: #6bd9b0; --good-ground: #15332a; --bad: #ffb0a6;
  --bad-ground: #3d1f1c; --wait: #f2c46f; --wait-ground: #372a12; --tag: #15332a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
p.brand { display: flex; align-items: center; gap: .625rem; margin: 0 0 1rem; color: var(--ink); font-weight: 680;
  font-size: 1.125rem; }
p.brand img { border-radius: .5rem; }
.tag { display: inline-block; margin: 0 0 .75rem; padding: .125rem .625rem; border-radius: 1rem; background: var(--tag);
  color: var(--accent); font-size: .8125rem; font-weight: 600; }
ul { list-style: none; margin: 0; padding: 0; display: grid; }
button { font: inherit; color: inherit; cursor: pointer; border: 1px solid var(--line); border-radius: .625rem;
  background: transparent; }
:is(input, button, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** The mark of the wallet and of all pages. */
const ICON = readFileSync(new URL('../../web/wallet/public/icon.svg', import.meta.url), 'utf8').trim();
const MARK = `data:image/svg+xml,${encodeURIComponent(ICON)}`;

interface Pages {
  render(title: string, body: string): string;
  /** `forms`: where the page's forms may lead, in the syntax of `form-action`. */
  headers(forms: string): Record<string, string>;
}

/** `style` comes after the common style and may override it. */
export function createPages(style: string): Pages {
  const sheet = LOOK + style;
  const hash = createHash('sha256').update(sheet).digest('base64');
  return {
    headers: (forms) => ({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; form-action ${forms}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    }),
    render: (title, body) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Florin sandbox</title>
<link rel="icon" href="${MARK}">
<style>${sheet}</style>
</head>
<body>
<main>
<p class="brand"><img src="${MARK}" alt="" width="28" height="28">Florin</p>
${body}
</main>
</body>
</html>
`,
  };
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
