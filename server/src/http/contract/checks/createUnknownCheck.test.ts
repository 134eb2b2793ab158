/** Unknown members of bodies and unknown query parameters, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchangeRaw } from '../../../../../test/support/http/replay.ts';
import { type Api, createApi } from '../createApi.ts';
import type { OpenApiDocument, OperationObject } from '../openapi.ts';

const pay = (operationId: string, more: object): OperationObject => ({
  operationId,
  responses: {},
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            amount: { type: 'number', exclusiveMinimum: 0 },
            user_id: { type: 'string', format: 'uuid' },
            chain: { type: 'string', default: 'HOME' },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          },
          required: ['amount', 'user_id'],
        },
      },
    },
  },
  ...more,
});
const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {
    '/pay': { post: pay('pay', {}) },
    '/given/pay': { post: pay('given_pay', { 'x-unknown-fields': 'ignored' }) },
  },
};

let runs = 0;
let api: Api;
let url: URL;
beforeAll(async () => {
  const run = async () => ({ body: { ok: ++runs > 0 } });
  api = createApi({ name: 'test', document, items: 'full', logger: false, operations: { pay: run, given_pay: run } });
  url = new URL(await api.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(() => api.close());

const post = (text: string, path = '/pay') =>
  exchangeRaw(
    url,
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
const USER = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
const GOOD = `{"amount":1,"user_id":"${USER}"}`;

describe('an unknown name', () => {
  const itemsOf = ({ text }: { text: string }) =>
    JSON.parse(text).detail as { loc: string[]; type: string; msg: string }[];

  test('in the body of our own operation is refused, named, and the nearest is suggested', async () => {
    const before = runs;
    const answer = await post(`{"amount":1,"user_id":"${USER}","note":"x","chian":"OTHER"}`);
    expect([answer.status, itemsOf(answer)]).toEqual([
      422,
      [
        {
          type: 'extra_forbidden',
          loc: ['body', 'chian'],
          msg: "Unknown field. Did you mean 'chain'?",
          input: 'OTHER',
        },
      ],
    ]);
    expect(runs).toBe(before);
  });

  test('is reported together with what else is wrong', async () => {
    const answer = await post(`{"amuont":1,"user_id":"x","currency":"EUR"}`);
    expect(itemsOf(answer).map(({ type, loc, msg }) => [type, loc.join('.'), msg])).toEqual([
      ['missing', 'body.amount', 'Field required'],
      ['uuid_parsing', 'body.user_id', expect.any(String)],
      ['extra_forbidden', 'body.amuont', "Unknown field. Did you mean 'amount'?"],
      ['extra_forbidden', 'body.currency', 'Unknown field'],
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString', ''])('%j is no exception', async (name) => {
    const answer = await post(`{"amount":1,"user_id":"${USER}",${JSON.stringify(name)}:1}`);
    expect([answer.status, itemsOf(answer)[0]?.loc]).toEqual([422, ['body', name]]);
  });

  test('is listed five times at most, and cut, so that the answer stays short', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `"${'x'.repeat(30)}${i}":1`).join(',');
    const answer = await post(`{"amount":1,"user_id":"${USER}",${many}}`);
    expect(itemsOf(answer)).toHaveLength(5);
    const long = await post(`{"amount":1,"user_id":"${USER}","${'x'.repeat(100_000)}":1}`);
    expect(long.text.length).toBeLessThan(300);
  });

  test('in the query of our own operation is refused', async () => {
    const answer = await post(GOOD, '/pay?limti=1');
    expect([answer.status, itemsOf(answer).map(({ loc, msg }) => [loc.join('.'), msg])]).toEqual([
      422,
      [['query.limti', "Unknown parameter. Did you mean 'limit'?"]],
    ]);
    expect((await post(GOOD, '/pay?__proto__=1')).status).toBe(422);
  });

  test('in an operation of the given interface is ignored, and a header says so', async () => {
    const answer = await post(`{"amount":1,"user_id":"${USER}","amuont":2,"x":3}`, '/given/pay?limti=1');
    expect([answer.status, answer.text]).toEqual([200, '{"ok":true}']);
    expect(answer.headers['florin-warning']).toBe(
      'unknown parameter "limti", did you mean "limit"?; unknown field "amuont", did you mean "amount"?; unknown field "x"',
    );
    const refused = await post(`{"amuont":2,"user_id":"${USER}"}`, '/given/pay');
    expect([refused.status, itemsOf(refused).map(({ type }) => type)]).toEqual([422, ['missing']]);
    expect(refused.headers['florin-warning']).toBe('unknown field "amuont", did you mean "amount"?');
  });

  test('cannot add a header line, and no name of the document is warned about', async () => {
    const odd = JSON.stringify('a\r\nSet-Cookie: b\u0000\u20ac"\ud800');
    const answer = await post(`{"amount":1,"user_id":"${USER}",${odd}:1}`, '/given/pay');
    expect([answer.status, answer.headers['set-cookie'], answer.headers['florin-warning']]).toEqual([
      200,
      undefined,
      'unknown field "a\\r\\nSet-Cookie: b\\u0000\\u20ac\\"\\ud800"',
    ]);
    const good = await post(`{"amount":1,"user_id":"${USER}","note":null}`, '/given/pay?limit=1');
    expect(good.headers['florin-warning']).toBeUndefined();
  });
});
