import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify from 'fastify';
import type { Page } from './page.ts';

const CACHE = ['Cache-Control', 'public, max-age=86400', 'Vary', 'Accept-Encoding'];

let viewer: Promise<{ plain: Buffer; zipped: Buffer }> | undefined;

/** The viewer's script (four megabytes), loaded and zipped when the page is first opened, then kept in memory. */
export async function readViewer(request: IncomingMessage): Promise<Page> {
  viewer ??= loadViewer();
  const { plain, zipped } = await viewer;
  const contentType = 'text/javascript; charset=utf-8';
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    ? { contentType, body: zipped, headers: [...CACHE, 'Content-Encoding', 'gzip'] }
    : { contentType, body: plain, headers: CACHE };
}

/** The package gives its script only through its Fastify plugin, so we inject one request into that plugin. */
async function loadViewer(): Promise<{ plain: Buffer; zipped: Buffer }> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = fastify({ logger: false });
  await app.register(plugin, { routePrefix: '/viewer', configuration: { url: '/openapi.json' } });
  const { rawPayload: plain, statusCode } = await app.inject('/viewer/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`the viewer's script answered ${statusCode}`);
  return { plain, zipped: await promisify(gzip)(plain) };
}
