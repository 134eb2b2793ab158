import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import backend from '../../../openapi/backend.json' with { type: 'json' };
import type { MakeCall } from '../client/connect.ts';
import { FlorinError } from '../FlorinError.ts';
import type { FlorinEvent } from '../messages.ts';
import { webhooks } from '../webhooks.ts';
import { deriveSecret, listen } from './listen.ts';
import { toMessage } from './toMessage.ts';
import { trigger } from './trigger.ts';

const USER = '7d1f0c52-0a8e-4a53-9f0b-2a7c6f1e3b90';
const eventOf = (type: string, nth = 1): FlorinEvent =>
  ({
    id: `evt_${String(nth).padStart(35, '0')}`,
    type,
    at: '2026-03-02T09:20:11.400Z',
    transaction_id: 'a transaction',
    request_id: 'a request',
    payout_id: 'a payout',
    key_id: 'a key',
    user_ids: [USER],
    object: {},
  }) as unknown as FlorinEvent;

interface MessageSchema {
  readonly required: readonly string[];
  readonly properties: {
    readonly type?: { readonly enum?: readonly string[] };
    readonly data?: { readonly required: readonly string[] };
  };
}

describe('the message of an event', () => {
  const schemas = Object.entries(backend.components.schemas).filter(([name]) => name.endsWith('Message'));
  it.each(backend.components.schemas.EventType.enum)('%s has the members that the document names', (type) => {
    const [schema] = schemas
      .map(([, one]) => one as unknown as MessageSchema)
      .filter(({ properties }) => properties.type?.enum?.includes(type));
    const message = toMessage(eventOf(type));
    expect(Object.keys(message)).toEqual(schema!.required);
    expect(Object.keys(message.data)).toEqual(schema!.properties.data!.required);
    expect(Object.values(message.data)).not.toContain(undefined);
  });
});

const close: (() => void)[] = [];
afterEach(() => {
  for (const one of close.splice(0)) one();
});

/** A receiver that answers with these statuses, one after the other. */
async function receive(statuses: readonly number[]) {
  const heard: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => (body += text));
    request.on('end', () => {
      heard.push({ headers: request.headers, body });
      response.writeHead(statuses[heard.length - 1] ?? 204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  close.push(() => server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
}

/** A feed of these events, which then aborts. Notes where each page begins. */
function feed(events: readonly FlorinEvent[], stop: AbortController) {
  const asked: (string | undefined)[] = [];
  const call = async (_: string, { query }: { query: { after: string } }) => {
    asked.push(query.after);
    if (query.after === 'now') return { events: [], next_cursor: 'evt_before', has_more: false };
    if (asked.filter((one) => one !== 'now').length > 1) {
      stop.abort();
      throw new FlorinError({ code: 'call.aborted', title: 'aborted' });
    }
    return { events, next_cursor: 'evt_after', has_more: false };
  };
  return { asked, account: { call: call as unknown as MakeCall, backendUrl: 'http://127.0.0.1:8001', key: 'fla_1' } };
}

describe('listen', () => {
  const given = { types: undefined, after: undefined, secret: undefined };

  it('forwards every event once, in order, so that the receiver can verify it', async () => {
    const stop = new AbortController();
    const { heard, url } = await receive([204, 500, 302, 204]);
    const events = [1, 2, 3, 4].map((nth) => eventOf('payment.complete', nth));
    const { asked, account } = feed(events, stop);
    const lines: string[] = [];
    await listen(account, { ...given, url, signal: stop.signal, print: (line) => lines.push(line) });
    expect(asked).toEqual(['now', 'evt_before', 'evt_after']);
    expect(heard.map(({ headers }) => headers['webhook-id'])).toEqual(events.map(({ id }) => id));
    const secret = /whsec_\S+/.exec(lines[1]!)![0];
    for (const { body, headers } of heard)
      expect((await webhooks.verify(body, headers, { secret })).type).toBe('payment.complete');
    expect(lines.slice(2).map((line) => /-> (\d+) after/.exec(line)?.[1])).toEqual(['204', '500', '302', '204']);
  });

  it('says that a receiver does not answer, and goes on', async () => {
    const stop = new AbortController();
    const { url } = await receive([]);
    for (const one of close.splice(0)) one();
    const { account } = feed([eventOf('deposit.complete', 1), eventOf('deposit.complete', 2)], stop);
    const lines: string[] = [];
    await listen(account, { ...given, url, signal: stop.signal, print: (line) => lines.push(line) });
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/no answer .*ECONNREFUSED/),
      expect.stringMatching(/no answer .*ECONNREFUSED/),
    ]);
  });

  it('fails before it says that it listens, if the key is wrong', async () => {
    const refused = new FlorinError({ code: 'auth.invalid', title: 'refused', status: 401 });
    const account = { call: (async () => Promise.reject(refused)) as unknown as MakeCall, backendUrl: '', key: 'x' };
    const lines: string[] = [];
    const listening = { ...given, url: 'http://x/', signal: new AbortController().signal };
    await expect(listen(account, { ...listening, print: (line) => lines.push(line) })).rejects.toBe(refused);
    expect(lines).toEqual([]);
  });

  it('derives a secret that stays the same, and differs by key', () => {
    expect(deriveSecret('fsk_1')).toBe(deriveSecret('fsk_1'));
    expect(deriveSecret('fsk_1')).not.toBe(deriveSecret('fsk_2'));
    expect(deriveSecret('fsk_1')).not.toContain('fsk_1');
  });
});

describe('trigger', () => {
  async function serve(document: object): Promise<string> {
    const server = createServer((_, response) => response.end(JSON.stringify(document)));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    close.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    ['production', { servers: [{ url: '/', description: 'Production' }] }],
    ['something else', { servers: [] }],
    ['the document without a server', {}],
  ])('moves nothing in %s, and does not send the key', async (_, document) => {
    const calls: unknown[] = [];
    const call = (async (...args: unknown[]) => calls.push(args)) as unknown as MakeCall;
    const account = { call, backendUrl: await serve(document), key: 'fsk_1' };
    await expect(trigger(account, { type: 'payment.complete', to: undefined })).rejects.toThrow('is not a sandbox');
    expect(calls).toEqual([]);
  });

  it('names what it can trigger', async () => {
    const account = { call: (() => {}) as unknown as MakeCall, backendUrl: '', key: 'x' };
    for (const type of ['kyc.approved', 'toString'])
      await expect(trigger(account, { type, to: undefined })).rejects.toThrow('These can: payment.complete,');
  });

  it.each([
    ['alice', 'bob'],
    ['bob', 'alice'],
  ])('%s pays %s', async (username, other) => {
    const backendUrl = await serve({ servers: [{ description: 'Local development' }] });
    const bodies: unknown[] = [];
    const call = (async (name: string, input: { body?: unknown }) => {
      if (name === 'read_me') return { user: { user_id: USER, username } };
      bodies.push([name, input.body]);
      return { transaction_id: 'paid' };
    }) as unknown as MakeCall;
    const said = await trigger({ call, backendUrl, key: 'fla_1' }, { type: 'payment.complete', to: undefined });
    expect(said).toBe(`payment.complete: paid 0.01 USDC to ${other}: payment paid`);
    expect(bodies).toEqual([['send_usdc', { sender_user_id: USER, receiver_username: other, amount: '0.01' }]]);
  });
});
