import { escapeHtml } from './escapeHtml.ts';
import type { Page } from './page.ts';

/**
 * The viewer writes its own <style> elements, hence 'unsafe-inline' for styles. Scripts come only from this server, and
 * the page can only call this server.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that shows the document, and the script that starts the viewer on it. */
export function renderReference(title: string): { page: Page; script: Page } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  return {
    page: { contentType: 'text/html; charset=utf-8', body: html, headers },
    script: { contentType: 'text/javascript; charset=utf-8', body: START, headers: [] },
  };
}

/** Turns off fonts, proxy, assistants, telemetry and links to the viewer's makers; calls go to this server. */
const START = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This server' }],
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  theme: 'default',
});
`;
