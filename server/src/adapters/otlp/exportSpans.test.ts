import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { exportSpans, type Span } from './exportSpans.ts';

let collector: Server;
let url: string;
let status = 200;
const taken: { path: string; headers: Record<string, unknown>; body: unknown }[] = [];
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    taken.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  url = `http://127.0.0.1:${await listen(collector)}`;
});
afterAll(() => new Promise((done) => collector.close(done)));

const span: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  name: 'POST /pay',
  kind: 'server',
  startMs: 1_700_000_000_000.5,
  endMs: 1_700_000_000_002,
  attributes: { 'http.route': '/pay', 'http.response.status_code': 200, left: undefined },
  link: { traceId: '1af7651916cd43dd8448eb211c80319c', spanId: 'c7ad6b7169203331' },
};

it("sends the operator's attributes, and their name of the service", async () => {
  const attributes = { 'service.name': 'payments', 'deployment.environment.name': 'staging' };
  const spans = exportSpans({ url, headers: {}, service: 'florin-server', attributes, everyMs: 20 });
  spans.add(span);
  await spans.close();
  const [{ resource }] = (taken.pop()!.body as { resourceSpans: [{ resource: unknown }] }).resourceSpans;
  expect(resource).toEqual({
    attributes: [
      { key: 'service.name', value: { stringValue: 'payments' } },
      { key: 'deployment.environment.name', value: { stringValue: 'staging' } },
    ],
  });
});

it('sends spans to the collector as OTLP with JSON', async () => {
  const spans = exportSpans({ url, headers: { 'x-team': 'payments' }, service: 'florin-server', everyMs: 20 });
  spans.add(span);
  await eventually(() => expect(taken).toHaveLength(1));
  await spans.close();
  expect(taken[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-team': 'payments' },
  });
  expect(taken[0]!.body).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'florin-server' } }] },
        scopeSpans: [
          {
            scope: { name: 'florin' },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                parentSpanId: span.parentSpanId,
                name: 'POST /pay',
                kind: 2,
                startTimeUnixNano: '1700000000000500000',
                endTimeUnixNano: '1700000000002000000',
                attributes: [
                  { key: 'http.route', value: { stringValue: '/pay' } },
                  { key: 'http.response.status_code', value: { intValue: '200' } },
                ],
                links: [span.link],
                status: {},
              },
            ],
          },
        ],
      },
    ],
  });
});

it('a collector that refuses, or is down, costs spans and nothing else', async () => {
  status = 503;
  const refused = exportSpans({ url: `${url}/v1/traces`, headers: {}, service: 'x', everyMs: 20 });
  refused.add(span);
  await eventually(() => expect(refused.lost()).toBe(1));
  await refused.close();
  const gone = exportSpans({ url: 'http://127.0.0.1:1', headers: {}, service: 'x', everyMs: 20 });
  for (let i = 0; i < 30_000; i++) gone.add(span);
  await eventually(() => expect(gone.lost()).toBeGreaterThan(10_000));
  await gone.close();
});
