import type { Page } from './page.ts';

/** A florin: a coin with an f, readable on light and dark tabs. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#d9a21b"/><circle cx="16" cy="16" r="12.5" fill="none" stroke="#8a6100" stroke-width="1.2"/><path d="M20.5 9.2c-3.6-1.2-5.6.6-6.1 4l-1.9 11M11.2 15.6h7.2" fill="none" stroke="#4a3400" stroke-width="2.6" stroke-linecap="round"/></svg>`;

export const favicon: Page = {
  contentType: 'image/svg+xml',
  body: SVG,
  headers: ['Cache-Control', 'public, max-age=86400'],
};
