import { describe, expect, it } from 'vitest';
import type { AppInfo } from '../describeAgent.ts';
import { FlorinError } from '../FlorinError.ts';
import { VERSION } from '../generated/calls.ts';
import type { FlorinEvent, WebhookMessage } from '../messages.ts';
import type { ClientOptions } from './connect.ts';
import { createClient } from './createClient.ts';

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}
const session = {
  userId: 'u',
  sessionId: 's',
  accessToken: 'fla_1',
  accessEndsAt: Date.now() + 3_600_000,
  refreshToken: 'flr_1',
  refreshKey: 'k',
};
const BOTH = {
  backendUrl: 'https://backend.example',
  web3Url: 'https://web3.example/',
  backendKey: 'fsk_backend',
  web3Key: 'fsk_web3',
  store: { load: () => session, save() {} },
};

/** A client of both APIs whose calls get these answers, one after another; the last one is repeated. */
function play(answers: readonly (() => Response)[], options: Partial<ClientOptions> = {}) {
  const asked: Asked[] = [];
  const client = createClient({
    ...BOTH,
    retry: { firstPauseMs: 1 },
    fetch: async (url, init) => {
      const { method = '', body } = init;
      asked.push({ url, method, headers: new Headers(init.headers), body: body as string | undefined });
      return answers[Math.min(asked.length, answers.length) - 1]!();
    },
    ...options,
  });
  return { client, asked };
}
const json =
  (body: object, headers: Record<string, string> = {}, status = 200) =>
  () =>
    Response.json(body, { status, headers });
const csv =
  (text: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(text, { headers: { 'content-type': 'text/csv; charset=utf-8', ...headers } });
const caught = (work: () => unknown): Promise<FlorinError> =>
  (async () => work())().then(
    () => expect.fail('it did not fail'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FlorinError);
      return error as FlorinError;
    },
  );

describe('one client', () => {
  it('sends each call to the API of its operation, with the credential that it takes', async () => {
    const { client, asked } = play([json({ webhooks: [], events: [], next_cursor: '' })]);
    await client.call('login', { body: { id_token: 'x' } });
    await client.overview();
    await client.webhookEndpoints.list();
    await client.wallets.getTransaction('t');
    await client.call('list_events', {});
    expect(asked.map(({ url, headers }) => [new URL(url).host, headers.get('authorization')])).toEqual([
      ['backend.example', null],
      ['backend.example', 'Bearer fla_1'],
      ['backend.example', 'Bearer fsk_backend'],
      ['web3.example', 'Bearer fsk_web3'],
      ['backend.example', 'Bearer fsk_backend'],
    ]);
    const person = play([json({ events: [], next_cursor: '' })], { backendKey: undefined });
    await person.client.call('list_events', {});
    expect(person.asked[0]!.headers.get('authorization')).toBe('Bearer fla_1');
  });

  it('names the missing option, and sends nothing', async () => {
    const { client, asked } = play([], { backendKey: undefined, web3Url: undefined });
    expect((await caught(() => client.webhookEndpoints.list())).detail).toContain('backendKey');
    expect((await caught(() => client.wallets.overview('0x'))).detail).toContain('web3Url');
    const service = play([], { backendUrl: undefined });
    expect((await caught(() => service.client.overview())).detail).toContain('backendUrl');
    expect((await caught(() => createClient({}))).code).toBe('client.misconfigured');
    expect([...asked, ...service.asked]).toEqual([]);
  });
});

describe('an answer', () => {
  it('has its headers, request id, key and attempts beside it, and is otherwise as it came', async () => {
    const { client } = play([
      json({}, {}, 502),
      json({ state: 'COMPLETE' }, { 'x-request-id': 'r1', 'idempotency-replayed': 'true' }),
    ]);
    const answer = await client.pay({ receiver_username: 'bob', amount: '1' }, { idempotencyKey: 'kept' });
    const { lastResponse } = answer;
    expect(lastResponse).toMatchObject({ status: 200, requestId: 'r1', idempotencyKey: 'kept', attempts: 2 });
    expect(lastResponse.headers.get('idempotency-replayed')).toBe('true');
    expect([JSON.stringify(answer), Object.keys({ ...answer })]).toEqual(['{"state":"COMPLETE"}', ['state']]);
  });

  it('that is an error has its headers too', async () => {
    const { client } = play([json({ detail: [] }, { 'x-request-id': 'r2', 'rate-limit': 'x' }, 422)]);
    const error = await caught(() => client.me());
    expect([error.requestId, error.headers?.get('rate-limit')]).toEqual(['r2', 'x']);
  });
});

describe('CSV', () => {
  it('goes in as it is, and rows go in as JSON', async () => {
    const { client, asked } = play([json({ payout_id: 'p' })]);
    const file = 'reference,to,amount\nmarch-bob,bob,17.50\n';
    await client.payouts.create(file, { payer: 'alice' });
    await client.payouts.create([{ reference: 'r', to: 'bob', amount: '0.1' }]);
    expect(asked.map(({ headers, body }) => [headers.get('content-type'), body])).toEqual([
      ['text/csv', file],
      ['application/json', '{"rows":[{"reference":"r","to":"bob","amount":"0.1"}]}'],
    ]);
    expect(asked[0]!.url).toBe('https://backend.example/api/v1/payouts?payer=alice');
  });

  it('comes out as text, with its response', async () => {
    const { client, asked } = play([csv('reference,state\r\nr,paid\r\n', { 'x-request-id': 'r3' })]);
    const file = await client.payouts.exportItems('p');
    expect([file.text, file.next, file.lastResponse.requestId]).toEqual(['reference,state\r\nr,paid\r\n', null, 'r3']);
    expect(asked[0]!.headers.get('accept')).toBe('text/csv');
  });

  it('is one statement of several pages, with one header line, each time that it is read', async () => {
    const link = '</api/v1/latest_transactions_by_username/bob?limit=1&cursor=a%2Bb>; rel="next"';
    const pages = [csv('id,amount\r\n1,5\r\n', { link }), csv('id,amount\r\n2,6\r\n')];
    const { client, asked } = play([json({ user: { username: 'bob' } }), ...pages, ...pages]);
    const statement = client.historyCsv({ limit: 1 });
    for (const _ of [1, 2]) {
      let text = '';
      for await (const piece of statement) text += piece;
      expect(text).toBe('id,amount\r\n1,5\r\n2,6\r\n');
    }
    expect(asked.map(({ url }) => new URL(url).search)).toEqual([
      '',
      '?limit=1',
      '?limit=1&cursor=a%2Bb',
      '?limit=1',
      '?limit=1&cursor=a%2Bb',
    ]);
  });

  it('that is none, and JSON that is no object, fail', async () => {
    const { client: other } = play([() => Response.json('welcome')]);
    expect((await caught(() => other.me())).code).toBe('answer.unreadable');
    const { client } = play([json({})]);
    expect((await caught(() => client.payouts.exportItems('p'))).code).toBe('answer.unreadable');
  });
});

describe('a list', () => {
  const page = (ids: string[], next: string | null) =>
    json({ payouts: ids.map((id) => ({ payout_id: id })), next_before: next });

  it('becomes an array of at most so many items, and reads no page that it does not need', async () => {
    const pages = [page(['a', 'b'], 'b'), page([], 'c'), page(['d'], null)];
    const take = async (limit: number) => {
      const { client, asked } = play(pages);
      const found = await client.payouts.list({ limit: 2 }).toArray({ limit });
      return [found.map((one) => one.payout_id).join(''), asked.length];
    };
    expect(await Promise.all([0, 1, 2, 3, 9].map(take))).toEqual([
      ['', 0],
      ['a', 1],
      ['ab', 1],
      ['abd', 3],
      ['abd', 3],
    ]);
  });
});

describe('the options of a call', () => {
  it('replace single values of the retry policy, and add headers to those of the client', async () => {
    const { client, asked } = play([json({}, {}, 503)], { headers: { traceparent: 'one', 'x-shop': 'a' } });
    await caught(() => client.me({ retry: { attempts: 2 }, headers: { Traceparent: 'two' } }));
    expect(asked.map(({ headers }) => [headers.get('traceparent'), headers.get('x-shop')])).toEqual([
      ['two', 'a'],
      ['two', 'a'],
    ]);
    await caught(() => client.me({ retry: { attempts: 1 } }));
    expect(asked).toHaveLength(3);
  });

  it('cannot replace a header that decides who pays, or whether twice', async () => {
    const { client, asked } = play([json({})]);
    for (const name of ['Authorization', 'idempotency-key', 'X-Request-Id', 'Prefer']) {
      expect((await caught(() => client.me({ headers: { [name]: 'x' } }))).code).toBe('client.misconfigured');
      expect((await caught(() => play([], { headers: { [name]: 'x' } }))).code).toBe('client.misconfigured');
    }
    expect(asked).toEqual([]);
  });
});

describe('every failure is a FlorinError', () => {
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const broken = () => {
    throw new Error('disk full');
  };
  const lost = async () => Promise.reject(new Error('no disk'));
  const pay = (amount: unknown) => () => play([json({})]).client.pay({ receiver_username: 'b', amount } as never);

  it.each<[string, () => unknown, string, boolean?]>([
    ['a number as amount', pay(1.5), 'amount.inexact'],
    ['no amount', pay(null), 'amount.inexact'],
    ['too many decimals', pay('0.1234567'), 'amount.inexact'],
    ['an unknown operation', () => play([]).client.call('pay_all' as never, {} as never), 'request.invalid'],
    ['half a letter in the path', () => play([]).client.checkUsername('\ud800'), 'request.invalid'],
    ['a body without an end', () => play([]).client.call('set_username', { body: circle as never }), 'request.invalid'],
    [
      'a key that no header can hold',
      () => play([]).client.setUsername('b', { idempotencyKey: '€' }),
      'request.invalid',
    ],
    ['an address that is none', () => play([], { backendUrl: 'api' }).client.me(), 'request.invalid'],
    ['a store that cannot read', () => play([], { store: { load: broken, save() {} } }).client.me(), 'client.failed'],
    [
      'a store that cannot save',
      () => play([json({ user: {} })], { store: { load: () => session, save: lost } }).client.login('x'),
      'client.failed',
    ],
    ['a lock that fails', () => play([json({ user: {} })], { lock: lost }).client.login('x'), 'client.failed'],
    [
      'a log that fails',
      () => play([json({}, {}, 500)], { onRetry: broken }).client.pay({ receiver_username: 'b', amount: '1' }),
      'client.failed',
      true,
    ],
    ['a fetch that throws', () => play([], { fetch: broken, retry: { attempts: 1 } }).client.me(), 'connection.lost'],
    ['wrong app info', () => play([], { appInfo: { name: 'my shop' } }), 'client.misconfigured'],
  ])('%s', async (_, work, code, outcomeUnknown = false) => {
    expect(await caught(work)).toMatchObject({ code, outcomeUnknown });
  });
});

describe('the user agent', () => {
  const agentOf = async (appInfo?: AppInfo) => {
    const { client, asked } = play([json({})], { appInfo });
    await client.me();
    return asked[0]!.headers.get('user-agent');
  };

  it('names the client, the platform and the app', async () => {
    const own = `florin-client/${VERSION} (Node.js`;
    expect(await agentOf()).toMatch(new RegExp(`^${own.replace('(', '\\(')}/\\d+[^)]*\\)$`));
    expect(await agentOf({ name: 'shop', version: '2.1', url: 'https://shop.example' })).toMatch(
      / shop\/2\.1 \(https:\/\/shop\.example\)$/,
    );
  });
});

it('narrows events and messages by their type', () => {
  // The compiler checks this: each line is an error if the union does not narrow.
  const describeEvent = (event: FlorinEvent): string => {
    switch (event.type) {
      case 'payment.complete':
      case 'deposit.complete':
        return event.object.amount + event.transaction_id.length;
      case 'request.open':
        return event.object.request_id + event.request_id.length;
      case 'kyc.approved':
        return event.object.status;
      case 'payout.complete':
        return event.object.total + event.payout_id.length;
      default:
        return event.type;
    }
  };
  const describeMessage = (message: WebhookMessage): string => {
    if (message.type === 'payment.complete') return message.data.transaction_id;
    if (message.type === 'webhook.test') return message.data.message;
    if (message.type === 'kyc.approved') return message.data.user_id;
    // @ts-expect-error: not every message is about a payment
    return message.data.transaction_id;
  };
  const payment = { type: 'payment.complete', object: { amount: '5' }, transaction_id: 'abc' } as FlorinEvent;
  expect(describeEvent(payment)).toBe('53');
  const message = { type: 'payment.complete', timestamp: '', data: { transaction_id: 't', user_ids: [] } } as const;
  expect(describeMessage({ ...message, data: { ...message.data, user_ids: [] } })).toBe('t');
});
