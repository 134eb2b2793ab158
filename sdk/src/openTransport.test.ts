import { describe, expect, it } from 'vitest';
import { FlorinError } from './FlorinError.ts';
import { backendCalls } from './generated/calls.ts';
import { openTransport, type TransportOptions } from './openTransport.ts';

interface Asked {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}
type Reply = 'lost' | 'silence' | readonly [number, object, Record<string, string>?];

/** A service that gives these answers, one after another, and then repeats the last one. */
function play(replies: readonly Reply[], options: Partial<TransportOptions> = {}) {
  const asked: Asked[] = [];
  const transport = openTransport('https://api.example/', {
    retry: { firstPauseMs: 1 },
    fetch: (url, init) => {
      asked.push({ url, headers: init.headers as Record<string, string>, body: String(init.body ?? '') });
      const reply = replies[Math.min(asked.length, replies.length) - 1]!;
      if (reply === 'lost') return Promise.reject(new TypeError('fetch failed'));
      if (reply === 'silence') return new Promise(() => {});
      const [status, body, headers] = reply;
      const type = status < 300 ? 'application/json' : 'application/problem+json';
      const answer = new Response(JSON.stringify(body), { status, headers: { 'content-type': type, ...headers } });
      return Promise.resolve(answer);
    },
    ...options,
  });
  return { transport, asked };
}

const problem = (code: string, status: number): Reply => [
  status,
  { type: '/', title: 't', detail: 'd', status, code, retryable: true, request_id: 'r' },
];
const body = { sender_user_id: 'u', receiver_username: 'bob', amount: '0.1' };
const caught = (promise: Promise<unknown>): Promise<FlorinError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FlorinError);
      return error as FlorinError;
    },
  );

describe('a payment', () => {
  it('has one key for all attempts, and a request id for each', async () => {
    const { transport, asked } = play(['lost', problem('idempotency.in_progress', 409), [200, { state: 'COMPLETE' }]]);
    expect(await transport.call(backendCalls.send_usdc, { body })).toEqual({ state: 'COMPLETE' });
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1);
    expect(new Set(asked.map(({ headers }) => headers['X-Request-Id'])).size).toBe(3);
    expect(asked[0]).toMatchObject({
      url: 'https://api.example/api/v1/send_usdc',
      body: '{"sender_user_id":"u","receiver_username":"bob","amount":0.1}',
      headers: { 'Idempotency-Key': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/) },
    });
  });

  it('uses a key from outside, so that it survives the program', async () => {
    const { transport, asked } = play(['lost', [200, {}]]);
    await transport.call(backendCalls.send_usdc, { body }, { idempotencyKey: 'kept' });
    expect(asked.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['kept', 'kept']);
  });

  it('that never gets an answer reports that it may have been made, and under which key', async () => {
    const { transport, asked } = play(['lost'], { retry: { attempts: 3, firstPauseMs: 1 } });
    const error = await caught(transport.call(backendCalls.send_usdc, { body }, { idempotencyKey: 'kept' }));
    expect(error).toMatchObject({ code: 'connection.lost', outcomeUnknown: true, idempotencyKey: 'kept', status: 0 });
    expect(asked).toHaveLength(3);
  });

  it('with a key from outside may have been made before, until the service itself says otherwise', async () => {
    const refuse = async (answer: Parameters<typeof play>[0][number]) => {
      const { transport } = play([answer], { retry: { attempts: 1 } });
      return caught(transport.call(backendCalls.send_usdc, { body }, { idempotencyKey: 'kept' }));
    };
    const problem = { title: 'T', detail: 'D', retryable: false };
    const limited = [429, { code: 'rate.limited', status: 429, ...problem }] as const;
    const unknown = [404, { code: 'username.unknown', status: 404, ...problem }] as const;
    const portal = [404, {}] as const;
    expect((await refuse([...limited])).outcomeUnknown).toBe(true);
    expect((await refuse([...portal])).outcomeUnknown).toBe(true);
    expect((await refuse([...unknown])).outcomeUnknown).toBe(false);
  });

  it('stops waiting when its time is over, whether or not the platform ends its request', async () => {
    const { transport } = play(['silence'], { timeoutMs: 5, retry: { attempts: 1 } });
    expect(await caught(transport.call(backendCalls.send_usdc, { body }))).toMatchObject({
      code: 'connection.timeout',
      outcomeUnknown: true,
    });
  });

  it('with an inexact amount is never sent', async () => {
    const { transport, asked } = play([[200, {}]]);
    const wrong = { ...body, amount: '0.1234567' };
    expect(await caught(transport.call(backendCalls.send_usdc, { body: wrong }))).toMatchObject({
      code: 'amount.inexact',
      outcomeUnknown: false,
      fields: [{ loc: ['body', 'amount'] }],
    });
    expect(asked).toEqual([]);
  });

  it('that was accepted with an unreadable answer is not a failure', async () => {
    const { transport } = play([], { fetch: async () => new Response('<html>', { status: 200 }) });
    expect(await caught(transport.call(backendCalls.send_usdc, { body }))).toMatchObject({
      code: 'answer.unreadable',
      outcomeUnknown: true,
    });
  });
});

describe('a caller who gives up', () => {
  it('takes effect immediately, while an attempt runs', async () => {
    const { transport } = play(['silence']);
    const giving = new AbortController();
    const call = caught(transport.call(backendCalls.send_usdc, { body }, { signal: giving.signal }));
    setTimeout(() => giving.abort(new Error('enough')), 5);
    expect(await call).toMatchObject({ code: 'call.aborted', outcomeUnknown: true, cause: new Error('enough') });
  });

  it('takes effect immediately, between two attempts', async () => {
    const giving = new AbortController();
    const { transport, asked } = play(['lost'], {
      retry: { firstPauseMs: 100_000 },
      onRetry: () => giving.abort(),
    });
    const error = await caught(transport.call(backendCalls.send_usdc, { body }, { signal: giving.signal }));
    expect(error).toMatchObject({ code: 'call.aborted', outcomeUnknown: true });
    expect(asked).toHaveLength(1);
  });

  it('before anything was sent reports that nothing was done', async () => {
    const { transport, asked } = play([[200, {}]]);
    const error = await caught(transport.call(backendCalls.send_usdc, { body }, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'call.aborted', outcomeUnknown: false });
    expect(asked).toEqual([]);
  });
});

describe('other calls', () => {
  it('that only read are repeated, and leave nothing in doubt', async () => {
    const { transport } = play(['lost'], { retry: { attempts: 2, firstPauseMs: 1 } });
    expect((await caught(transport.call(backendCalls.read_me, {}))).outcomeUnknown).toBe(false);
  });

  it('that use something up and have no key are not repeated when they may have been done', async () => {
    const { transport, asked } = play(['lost']);
    await caught(transport.call(backendCalls.login, { body: { id_token: 'x' } }));
    expect(asked).toHaveLength(1);
    const busy = play([problem('service.overloaded', 503), [200, {}]]);
    await busy.transport.call(backendCalls.login, { body: { id_token: 'x' } });
    expect(busy.asked).toHaveLength(2);
  });

  it('fill in their path, leave out missing values, and request waiting in whole seconds', async () => {
    const { transport, asked } = play([[200, {}]]);
    const path = { username: 'a/b?c' };
    const query = { limit: 2, cursor: undefined, counterparty: 'x&y' };
    await transport.call(backendCalls.latest_transactions_by_username, { path, query });
    const send = { destination_address: '0x', amount: '1' };
    await transport.call(backendCalls.send_to_address, { body: send }, { waitSeconds: 1.5 });
    expect(asked[0]!.url).toBe(
      'https://api.example/api/v1/latest_transactions_by_username/a%2Fb%3Fc?limit=2&counterparty=x%26y',
    );
    expect(asked[0]!.headers).not.toHaveProperty('Idempotency-Key');
    expect(asked[1]!.headers).toMatchObject({ Prefer: 'wait=2' });
  });
});
