import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raw as readAll } from '../../../../test/support/http/raw.ts';
import { exchangeRaw } from '../../../../test/support/http/replay.ts';
import { PayError } from '../../core/errors.ts';
import { type Api, type ApiOptions, createApi } from './createApi.ts';
import type { KeptCall, Seen } from './exchange.ts';
import { JsonNumber } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import type { ApiAnswer, ApiCall } from './operation.ts';

const responses = {};
const body = (schema: object) => ({ content: { 'application/json': { schema } } }) as never;
const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {
    '/pay': {
      post: {
        operationId: 'pay',
        responses,
        requestBody: body({
          type: 'object',
          properties: {
            amount: { type: 'number', exclusiveMinimum: 0 },
            user_id: { type: 'string', format: 'uuid' },
            chain: { type: 'string', default: 'HOME' },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          },
          required: ['amount', 'user_id'],
        }),
      },
    },
    '/fail/{how}': {
      get: {
        operationId: 'fail',
        responses,
        parameters: [
          { name: 'how', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 9, default: 3 } },
        ],
      },
    },
  },
};

const calls: ApiCall[] = [];
const seen: Seen[] = [];
const kept: KeptCall[] = [];
const logged: unknown[] = [];
const logger = { error: (line: unknown) => logged.push(line) } as unknown as ApiOptions['logger'];

function fail(call: ApiCall): never | ApiAnswer {
  const how = call.params.how ?? '';
  if (how === 'unchanged')
    return {
      status: 304,
      body: '',
      contentType: 'application/json',
      headers: { ETag: '"a"', 'Cache-Control': 'private, no-cache' },
    };
  if (how === 'secret') throw new Error('password is hunter2');
  throw new PayError(how as 'auth.required', { reason: 'expired', retry_after_seconds: 7 });
}

const options: ApiOptions = {
  name: 'test',
  document,
  items: 'full',
  logger,
  operations: {
    pay: async (call) => {
      calls.push(call);
      return { body: { ok: true }, headers: { 'Idempotency-Replayed': 'true' } };
    },
    fail: async (call) => fail(call),
  },
  authorize: async ({ headers }) => {
    if (headers.authorization === 'Bearer bad') throw new PayError('auth.invalid', { reason: 'unknown' });
    return headers.authorization;
  },
  observe: (answer) => seen.push(answer),
  keep: (call) => kept.push(call),
};

let api: Api;
let url: URL;
beforeAll(async () => {
  api = createApi(options);
  url = new URL(await api.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(() => api.close());

const raw = (request: string) => exchangeRaw(url, request.replaceAll('\n', '\r\n'));
const get = (path: string, headers = '') => raw(`GET ${path} HTTP/1.1\nHost: x\nConnection: close\n${headers}\n`);
const post = (text: string, headers = '') =>
  exchangeRaw(
    url,
    `POST /pay HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
const USER = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';

describe('a call', () => {
  test('passes validated input on, in canonical form and exact', async () => {
    const text = `{"amount":0.1000000000000000055,"user_id":"{${USER.toUpperCase()}}"}`;
    const answer = await post(text, 'Authorization: Bearer good\r\nX-Request-Id: abc.1\r\n');
    expect([answer.status, answer.text, answer.headers['idempotency-replayed']]).toEqual([200, '{"ok":true}', 'true']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': 'abc.1',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const call = calls.at(-1)!;
    expect(call.body).toEqual({
      amount: new JsonNumber('0.1000000000000000055'),
      user_id: USER,
      chain: 'HOME',
      note: null,
    });
    expect([call.bodyBytes?.toString(), call.caller, call.route, call.operationId]).toEqual([
      text,
      'Bearer good',
      '/pay',
      'pay',
    ]);
  });

  test('is kept with what was asked and answered, also if it is refused; pages and unknown paths are not', async () => {
    kept.length = 0;
    await post('{"amount":1', 'Idempotency-Key: order-1\r\nX-Request-Id: kept.1\r\n');
    await get('/fail/auth.required?limit=2');
    await get('/no/such/path');
    await get('/docs');
    const [broken, refused, ...others] = kept;
    expect([broken!.requestId, broken!.idempotencyKey, broken!.request?.toString(), broken!.status]).toEqual([
      'kept.1',
      'order-1',
      '{"amount":1',
      422,
    ]);
    expect([refused!.path, refused!.code, String(refused!.answer)]).toEqual([
      '/fail/auth.required?limit=2',
      'auth.required',
      expect.stringContaining('"code":"auth.required"'),
    ]);
    expect(others).toEqual([]);
  });

  test('is authorized before its body is read', async () => {
    const head = 'POST /pay HTTP/1.1\nHost: x\nContent-Length: 100\nAuthorization: Bearer bad\nConnection: close\n\n';
    const answer = await raw(head);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="florin", error="invalid_token"');
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'auth.invalid', request_id: answer.headers['x-request-id'] });
  });

  test('fails as a problem document with the headers of its status', async () => {
    const required = await get('/fail/auth.required');
    expect(required.headers['www-authenticate']).toBe('Bearer realm="florin"');
    expect(required.headers['content-type']).toBe('application/problem+json');
    const down = await get('/fail/service.unavailable');
    expect([down.status, down.headers['retry-after']]).toEqual([503, '7']);
    const taken = await get('/fail/username.taken');
    expect([taken.status, taken.headers['retry-after']]).toEqual([409, undefined]);
    expect(seen.at(-1)).toMatchObject({ api: 'test', route: '/fail/{how}', status: 409, code: 'username.taken' });
  });

  test('reveals nothing about an internal error, but logs it with the request id', async () => {
    const answer = await get('/fail/secret');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    expect(JSON.parse(answer.text).code).toBe('internal.error');
    expect(logged.at(-1)).toMatchObject({ request_id: answer.headers['x-request-id'], route: '/fail/{how}' });
  });

  test('with a bad query is refused before it runs', async () => {
    const answer = await get('/fail/secret?limit=10&limit=0');
    expect([answer.status, JSON.parse(answer.text).detail[0].type]).toEqual([422, 'greater_than_equal']);
  });
});

test('a 304 has its ETag and its caching rules, no length and no type, and leaves the connection open', async () => {
  const ask = (connection: string) => `GET /fail/unchanged HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
  const heard = await readAll(url.href, ask('keep-alive') + ask('close'));
  // Two heads, with nothing between and after them.
  const [first, second, rest] = heard.split('\r\n\r\n');
  expect(rest).toBe('');
  for (const head of [first!, second!]) {
    const [line, ...lines] = head.split('\r\n');
    expect(line).toBe('HTTP/1.1 304 Not Modified');
    const headers = Object.fromEntries(lines.map((one) => [one.split(':')[0]!.toLowerCase(), one]));
    expect([headers.etag, headers['cache-control']]).toEqual(['ETag: "a"', 'Cache-Control: private, no-cache']);
    expect(headers).toHaveProperty('date');
    for (const name of ['content-length', 'content-type', 'transfer-encoding'])
      expect(headers).not.toHaveProperty(name);
  }
});

describe('a request id', () => {
  test.each([
    ['/nope', ''],
    ['/pay', ''],
    ['/pay/', ''],
    ['/fail/secret', 'X-Request-Id: has blank\n'],
    ['/fail/secret', `X-Request-Id: ${'a'.repeat(65)}\n`],
  ])('is created for %s', async (path, headers) => {
    expect((await get(path, headers)).headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });
});

describe('a body that is too large', () => {
  const LIMIT = 256 * 1024;

  test('is refused by its Content-Length, unread, and the connection is closed', async () => {
    const answer = await raw(`POST /pay HTTP/1.1\nHost: x\nContent-Length: ${LIMIT + 1}\n\n`);
    expect([answer.status, answer.headers.connection, JSON.parse(answer.text).code]).toEqual([
      413,
      'close',
      'request.too_large',
    ]);
  });

  test('is refused while its chunks arrive, and the client can still read the answer', async () => {
    const chunk = `10000\r\n${' '.repeat(65536)}\r\n`;
    const answer = await exchangeRaw(
      url,
      `POST /pay HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`,
    );
    expect([answer.status, JSON.parse(answer.text).limit_bytes]).toEqual([413, LIMIT]);
  });

  test('is not kept in memory: bytes beyond the limit are discarded and the socket closed', async () => {
    const socket = connect(Number(url.port), url.hostname);
    socket.write('POST /pay HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${' '.repeat(65536)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 5);
    const closed = await new Promise<boolean>((resolve) => {
      socket.on('close', () => resolve(true));
      socket.on('error', () => resolve(true));
      setTimeout(() => resolve(false), 60_000);
    });
    clearInterval(timer);
    socket.destroy();
    expect(closed).toBe(true);
  });

  test('is accepted when it has exactly the limit', async () => {
    const text = `{"amount":1,"user_id":"${USER}"}`;
    expect((await post(text.padEnd(LIMIT, ' '))).status).toBe(200);
    expect((await post(text.padEnd(LIMIT + 1, ' '))).status).toBe(413);
  });
});

describe('broken HTTP', () => {
  test.each([
    ['not HTTP', 'hello\n\n', 400, 'request.malformed'],
    ['an unknown method', 'FETCH /pay HTTP/1.1\nHost: x\n\n', 400, 'request.malformed'],
    [
      'two framings',
      'POST /pay HTTP/1.1\nHost: x\nContent-Length: 2\nTransfer-Encoding: chunked\n\n',
      400,
      'request.malformed',
    ],
    [
      'two lengths',
      'POST /pay HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 3\n\n{}',
      400,
      'request.malformed',
    ],
    ['a bad chunk', 'POST /pay HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nzz\n', 400, 'request.malformed'],
    ['no host', 'GET /nope HTTP/1.1\nConnection: close\n\n', 400, 'request.malformed'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\nHost: x\n\n', 400, 'request.malformed'],
    [
      'headers without end',
      `GET /pay HTTP/1.1\nHost: x\nX: ${'a'.repeat(20_000)}\n\n`,
      431,
      'request.headers_too_large',
    ],
  ])('%s', async (_, request, status, code) => {
    expectProblem(await raw(request), status, code);
  });

  test.each([
    ['headers that never arrive', 'GET /pay HTTP/1.1\nHost: x\n'],
    ['a body that never arrives', 'POST /pay HTTP/1.1\nHost: x\nContent-Length: 5\n\n{'],
  ])('%s', async (_, request) => {
    // Not for the other tests: on a slow machine a good request may take longer than this.
    const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 };
    const impatient = createApi({ ...options, limits });
    const at = new URL(await impatient.listen({ host: '127.0.0.1', port: 0 }));
    expectProblem(await exchangeRaw(at, request.replaceAll('\n', '\r\n')), 408, 'request.timeout');
    await impatient.close();
  });

  function expectProblem(answer: Awaited<ReturnType<typeof raw>>, status: number, code: string): void {
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
    expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.text).request_id);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  }
});

describe('starting', () => {
  test('answers an Upgrade like any other request', async () => {
    const answer = await raw('GET /nope HTTP/1.1\nHost: x\nConnection: upgrade, close\nUpgrade: h2c\n\n');
    expect(answer.status).toBe(404);
  });

  test('reports that its port is taken', async () => {
    const other = createApi(options);
    await expect(other.listen({ host: '127.0.0.1', port: Number(url.port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await other.close();
  });

  test('needs a handler for every operation, and an operation for every handler', () => {
    const { pay, ...others } = options.operations;
    expect(() => createApi({ ...options, operations: others })).toThrow('operation pay has no handler');
    expect(() => createApi({ ...options, operations: { ...options.operations, x: pay! } })).toThrow(
      'not in the document: x',
    );
    expect(() => createApi({ ...options, operations: others, partial: true })).not.toThrow();
  });

  test('a closing server finishes its answers and closes the connections', async () => {
    let finish = () => {};
    const slow = createApi({
      ...options,
      operations: {
        pay: options.operations.pay!,
        fail: () => new Promise((done) => (finish = () => done({ body: 1 }))),
      },
    });
    const at = new URL(await slow.listen({ host: '127.0.0.1', port: 0 }));
    const answer = exchangeRaw(at, 'GET /fail/x HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => finish.toString()).toContain('done');
    const closed = slow.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    finish();
    expect((await answer).headers.connection).toBe('close');
    await closed;
  });
});
