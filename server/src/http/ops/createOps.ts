/**
 * The operations port: /healthz, /readyz and /metrics. It is a separate port, so that a firewall can keep it internal.
 * It answers only to IP addresses and its own names, so a web page that points its name here (DNS rebinding) reads
 * nothing.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { isIP } from 'node:net';
import type { Registry } from 'prom-client';
import { limitConnections } from '../connections/limitConnections.ts';
import { limitPipelining } from '../connections/limitPipelining.ts';
import { surviveSocketErrors } from '../connections/surviveSocketErrors.ts';
import { hasOneHost, LOOPBACK } from '../contract/createGuard.ts';

/** The answer of `/readyz`: 503 if the process is down, 200 if it is ready or degraded. */
type Readiness = () => Promise<{
  readonly status: 'ready' | 'degraded' | 'down';
  readonly [more: string]: unknown;
}>;

interface OpsOptions {
  readonly readiness: Readiness;
  readonly registry: Registry;
  /** Names, without ports, that it answers to besides addresses and `localhost`. */
  readonly hosts: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Enough for Prometheus, probes and people. */
const CONNECTIONS = { all: 100, address: 100 };

export function createOps(options: OpsOptions): Server {
  const names = new Set(options.hosts.map((name) => name.toLowerCase()));
  const answers: Record<string, () => Promise<Answer>> = {
    '/healthz': async () => renderJson(200, { status: 'ok' }),
    '/readyz': share(async () => {
      const found = await options.readiness();
      return renderJson(found.status === 'down' ? 503 : 200, found);
    }),
    '/metrics': share(async () => ({
      status: 200,
      type: options.registry.contentType,
      text: await options.registry.metrics(),
    })),
  };
  const answerOne: RequestListener = (request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? ''];
    const wrongHost = findWrongHost(request, names);
    const made = wrongHost
      ? Promise.resolve(wrongHost)
      : !answer
        ? Promise.resolve(renderJson(404, { detail: 'Not Found' }))
        : request.method === 'GET' || request.method === 'HEAD'
          ? answer()
          : Promise.resolve(renderJson(405, { detail: 'Method Not Allowed' }));
    made
      .catch(() => renderJson(503, { status: 'down' }))
      .then(({ status, type, text }) => {
        response.writeHead(status, { 'content-type': type, ...HEADERS });
        response.end(request.method === 'HEAD' ? undefined : text);
      });
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, limitPipelining(answerOne));
  server.timeout = 30_000;
  return limitConnections(surviveSocketErrors(server), CONNECTIONS);
}

/** Requests that arrive while an answer is being made share it: an answer takes milliseconds and uses the database. */
function share(make: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<Answer> | undefined;
  return () => {
    underWay ??= make().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

function findWrongHost(request: IncomingMessage, names: ReadonlySet<string>) {
  if (!hasOneHost(request)) return renderJson(400, { detail: 'Bad Request' });
  const name = request.headers.host?.replace(/:\d*$/, '').toLowerCase();
  // DNS rebinding needs a name; a request by IP address is safe.
  const isOurs =
    name === undefined || names.has(name) || LOOPBACK.test(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isOurs ? undefined : renderJson(421, { detail: 'Misdirected Request' });
}

const renderJson = (status: number, body: unknown) => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});
