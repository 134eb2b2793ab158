import fastify from 'fastify';
import { keepZipped } from './keepZipped.ts';

/** The viewer's script: four megabytes. */
export const readViewer = keepZipped('text/javascript; charset=utf-8', loadViewer);

/** The package gives its script only through its Fastify plugin, so we inject one request into that plugin. */
async function loadViewer(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = fastify({ logger: false });
  await app.register(plugin, { routePrefix: '/viewer', configuration: { url: '/openapi.json' } });
  const { rawPayload, statusCode } = await app.inject('/viewer/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`the viewer's script answered ${statusCode}`);
  return rawPayload;
}
