import type { OpenApiDocument } from '../contract/openapi.ts';
import type { Reference } from './describeServed.ts';
import { escapeHtml } from './escapeHtml.ts';
import { bar, renderBar, script } from './handbook/renderPage.ts';
import type { Page } from './page.ts';

/**
 * The viewer writes its own <style> elements, hence 'unsafe-inline' for styles. Scripts come only from this server, and
 * the page can only call this server.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The viewer places texts for screen readers outside the page, and a phone would scroll to them. The bar of the
 * handbook stands above the viewer, which leaves space for it; on a phone the viewer has its own bar, and ours scrolls
 * away.
 */
const STYLE = `:root { --scalar-custom-header-height: 3.5rem; }
main { position: relative; overflow-x: clip; }
@media (max-width: 1000px) { :root { --scalar-custom-header-height: 0px; } .bar { position: static; } }`;

/** The page that makes calls. It loads the viewer, which is large; the reference itself is `/docs`. */
export function renderViewer(title: string): Page {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${bar.url}">
<style>${STYLE}</style>
<script src="${script.url}" defer></script>
</head>
<body>
${renderBar()}
<div id="reference"></div>
<noscript>This page needs JavaScript. The <a href="/docs">reference</a> can be read without it, and the document itself is
<a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];
  return { contentType: 'text/html; charset=utf-8', body: html, headers };
}

/**
 * The script that starts the viewer. It turns off fonts, proxy, assistants, telemetry and links to the viewer's vendor;
 * calls go to this server. In the sandbox, it fills in a sample person's access token if one is needed.
 */
export function renderStart(document: OpenApiDocument, { isOpen, readExamples }: Reference): Page {
  const token = isOpen ? readExamples()[EXAMPLE_TOKEN] : undefined;
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const settings = {
    url: '/openapi.json',
    withDefaultFonts: false,
    proxyUrl: '',
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // The bar above has the search for all pages.
    hideSearch: true,
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    theme: 'default',
    ...(token !== undefined &&
      schemes.includes('bearer') && {
        authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } },
      }),
  };
  const script = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(settings)},
  servers: [{ url: location.origin, description: 'This server' }],
});
`;
  return { contentType: 'text/javascript; charset=utf-8', body: script, headers: [] };
}

/** The access token of the examples in the document. */
const EXAMPLE_TOKEN = 'fla_k3Fj9OliCfOlUC2vu9X8DyMHOkr4geyJqb6yHoVuwxk';
