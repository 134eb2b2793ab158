import type { Page } from './page.ts';

/** The mark of the wallet and of all pages; `favicon.test.ts` compares it with the wallet's file. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="16" fill="#0f6b4f"/><path d="M24 50V22a8 8 0 0 1 8-8h10M24 31h14" fill="none" stroke="#fff" stroke-width="7" stroke-linecap="round"/></svg>`;

export const favicon: Page = {
  contentType: 'image/svg+xml',
  body: SVG,
  headers: ['Cache-Control', 'public, max-age=86400'],
};
