/**
 * Shared by the sandbox's own pages: their style, and headers that allow only that style sheet. No page has a script.
 */
import { createHash } from 'node:crypto';

const LOOK = `
:root { color-scheme: light dark; --ink: #14171f; --soft: #5b6472; --line: #d9dee6; --card: #ffffff; --ground: #f3f5f8;
  --accent: #0b57d0; --on-accent: #ffffff; --good: #14713d; --good-ground: #e3f4ea; --bad: #b3261e; --bad-ground: #fdeceb;
  --wait: #8a5300; --wait-ground: #fdf1dd; --tag: #e8f0fe; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceff4; --soft: #a3adbb; --line: #343b47; --card: #1b1f27;
  --ground: #11141a; --accent: #8ab4f8; --on-accent: #10213f; --good: #7ddba3; --good-ground: #153323; --bad: #ffb4ab;
  --bad-ground: #43201d; --wait: #f5c26b; --wait-ground: #3a2c10; --tag: #1e2f4d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.tag { display: inline-block; margin: 0 0 .75rem; padding: .125rem .625rem; border-radius: 1rem; background: var(--tag);
  color: var(--accent); font-size: .8125rem; font-weight: 600; }
ul { list-style: none; margin: 0; padding: 0; display: grid; }
button { font: inherit; color: inherit; cursor: pointer; border: 1px solid var(--line); border-radius: .625rem;
  background: transparent; }
:is(input, button, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

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
<link rel="icon" href="data:,">
<style>${sheet}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
  };
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
