/**
 * The operations port: /healthz, /readyz and /metrics. It is a separate port, so that a firewall can keep it internal.
 */
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { surviveSocketErrors } from '../contract/surviveSocketErrors.ts';

/** A pause by an operator or by one of custody's checks. */
interface ShownPause {
  /** `all`, `user`, `chain` or `chain:<blockchain>`. */
  readonly scope: string;
  readonly cause: string;
  readonly reason: string;
  readonly paused_at: Date;
}

/** A node of a blockchain that fails, lags or contradicts the others, as the workers see it. */
interface ShownNode {
  readonly blockchain: string;
  /** Never its URL, which may hold a key. */
  readonly host: string;
  readonly kind: string;
  readonly about: string;
  readonly times: number;
  readonly since: Date;
}

/**
 * The state of everything that readiness depends on, what is paused, and which nodes are faulty; neither a pause nor a node
 * makes a process unready.
 */
export type Readiness = () => Promise<{
  readonly checks: Readonly<Record<string, 'ok' | 'down'>>;
  /** What is away and missed: the process works without it, but not everything does. */
  readonly degraded: readonly string[];
  readonly paused: readonly ShownPause[];
  /** Only how many: this port shows no personal data. */
  readonly paused_people: number;
  readonly nodes: readonly ShownNode[];
}>;

export function createOps(options: { readonly readiness: Readiness; readonly registry: Registry }): Server {
  const answers: Record<string, () => Promise<{ status: number; type: string; text: string }>> = {
    '/healthz': async () => renderJson(200, { status: 'ok' }),
    '/readyz': async () => {
      const found = await options.readiness();
      const ready = Object.values(found.checks).every((state) => state === 'ok');
      return renderJson(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', ...found });
    },
    '/metrics': async () => ({
      status: 200,
      type: options.registry.contentType,
      text: await options.registry.metrics(),
    }),
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? ''];
    const made = !answer
      ? Promise.resolve(renderJson(404, { detail: 'Not Found' }))
      : request.method === 'GET' || request.method === 'HEAD'
        ? answer()
        : Promise.resolve(renderJson(405, { detail: 'Method Not Allowed' }));
    made
      .catch(() => renderJson(503, { status: 'not ready' }))
      .then(({ status, type, text }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : text);
      });
  });
  return surviveSocketErrors(server);
}

const renderJson = (status: number, body: unknown) => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});
