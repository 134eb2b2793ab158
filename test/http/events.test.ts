/** The feed and the live stream over HTTP: people get their own events, services with a key get everyone's. */
import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../sdk/src/client/createClient.ts';
import { NOTHING } from '../../server/src/customers/keys/keyRules.ts';
import { createServiceKey, type Scope } from '../../server/src/customers/keys/serviceKeys.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { eventually } from '../support/eventually.ts';
import { bearer } from '../support/http/answer.ts';
import { serveBadProxy } from '../support/http/serveBadProxy.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createVisitor, type Visitor } from '../support/people/requests.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
let db: Db;
let ada: Visitor;
let bob: Visitor;
let eve: Visitor;
let key: string;

beforeAll(async () => {
  florin = await startTestServer();
  db = openDatabase(florin.databaseUrl);
  await nameOperators(florin.databaseUrl, { anna: 'admin' });
  key = await makeKey('events');
  ada = await createVisitor(db, 'ada', '100');
  bob = await createVisitor(db, 'bob', '100');
  eve = await createVisitor(db, 'eve', '100');
});
afterAll(() => db.close());

const makeKey = async (...scopes: Scope[]): Promise<string> =>
  (
    await asOperator(florin.databaseUrl, 'anna', (as) =>
      as.tx((tx) => createServiceKey(tx, { name: 'reader', scopes, rules: NOTHING })),
    )
  ).key;
const read = (token: string, query = '', headers: Record<string, string> = {}) =>
  florin.call('GET', `/api/v1/events${query}`, undefined, { ...bearer(token), ...headers });
async function pay(from: Visitor, to: Visitor): Promise<string> {
  const { body } = await florin.call(
    'POST',
    '/api/v1/send_usdc',
    { sender_user_id: from.userId, receiver_username: to.username, amount: 0.5 },
    { ...bearer(from.accessToken), 'idempotency-key': randomUUID() },
  );
  return body.transaction_id;
}
async function present(): Promise<string> {
  await settleFeed(db);
  return (await read(key, '?after=now')).body.next_cursor;
}
const transactionsOf = (body: { events: { transaction_id: string }[] }) =>
  body.events.map(({ transaction_id: id }) => id);

describe('GET /api/v1/events', () => {
  it('shows a person their own events, and a service with a key everyone’s', async () => {
    const after = await present();
    const paid = await pay(ada, bob);
    const other = await pay(bob, eve);
    await settleFeed(db);
    const own = (await read(ada.accessToken, `?after=${after}`)).body;
    expect(own).toMatchObject({ has_more: false, held_back_since: null });
    expect(own.events).toEqual([
      {
        id: own.next_cursor,
        type: 'payment.complete',
        at: expect.any(String),
        transaction_id: paid,
        request_id: null,
        user_ids: [ada.userId],
        object: (await florin.call('GET', `/api/v1/transactions/${paid}`, undefined, bearer(ada.accessToken))).body,
      },
    ]);
    const all = (await read(key, `?after=${after}`)).body;
    expect(transactionsOf(all)).toEqual([paid, other]);
    expect(all.events[0]).toEqual({ ...own.events[0], user_ids: [ada.userId, bob.userId] });
    expect(transactionsOf((await read(eve.accessToken, `?after=${after}`)).body)).toEqual([other]);
    expect((await read(ada.accessToken, `?after=${own.next_cursor}`)).body.events).toEqual([]);
    // The feed begins with the deposits.
    const first = (await read(key, '?limit=2')).body;
    expect(first.events.map(({ type }: { type: string }) => type)).toEqual(['deposit.complete', 'deposit.complete']);
    expect(first.has_more).toBe(true);
  });

  it('shows requests and identity checks with the current state of the object', async () => {
    const after = await present();
    const asked = await florin.call(
      'POST',
      '/api/v1/requests',
      { payer_username: 'bob', amount: 2, note: 'lunch' },
      bearer(ada.accessToken),
    );
    const id = asked.body.request_id;
    await florin.call('POST', `/api/v1/requests/${id}/decline`, undefined, bearer(bob.accessToken));
    await db.query(`UPDATE users SET kyc_status = 'pending' WHERE user_id = $1`, [bob.userId]);
    await settleFeed(db);
    const { events } = (await read(bob.accessToken, `?after=${after}`)).body;
    expect(events).toMatchObject([
      { type: 'request.open', request_id: id, object: { state: 'declined', direction: 'incoming', note: 'lunch' } },
      { type: 'request.declined', request_id: id, transaction_id: null },
      { type: 'kyc.pending', user_ids: [bob.userId], object: { user_id: bob.userId, status: 'pending' } },
    ]);
    const some = (await read(key, `?after=${after}&types=kyc.*,request.open`)).body.events;
    expect(some.map(({ type }: { type: string }) => type)).toEqual(['request.open', 'kyc.pending']);
    expect(some[0].object.direction).toBe('outgoing');
    expect((await read(eve.accessToken, `?after=${after}`)).body.events).toEqual([]);
  });

  it('holds an empty answer until an event comes, on request', async () => {
    const after = await present();
    const held = [
      read(bob.accessToken, `?after=${after}`, { prefer: 'wait=60' }),
      read(key, `?after=${after}`, { prefer: 'wait=60' }),
    ];
    const paid = await pay(ada, bob);
    for (const { headers, body } of await Promise.all(held)) {
      expect(headers.get('preference-applied')).toBe('wait=60');
      expect(transactionsOf(body)).toEqual([paid]);
    }
    const empty = await read(eve.accessToken, `?after=${after}`, { prefer: 'wait=1' });
    expect(empty.body).toMatchObject({ events: [], next_cursor: after, has_more: false });
  });

  it('holds 32 answers of a caller, and answers the others immediately', async () => {
    const after = await present();
    const early: { headers: Headers; body: unknown }[] = [];
    const all = Array.from({ length: 40 }, async () => {
      const answer = await read(eve.accessToken, `?after=${after}`, { prefer: 'wait=60' });
      early.push(answer);
      return answer;
    });
    await eventually(async () => expect(early.length).toBe(8));
    for (const { headers, body } of early) {
      expect(headers.get('preference-applied')).toBeNull();
      expect(body).toMatchObject({ events: [], next_cursor: after });
    }
    const paid = await pay(ada, eve);
    const held = (await Promise.all(all)).filter(({ headers }) => headers.has('preference-applied'));
    expect(held).toHaveLength(32);
    for (const { body } of held) expect(transactionsOf(body)).toEqual([paid]);
  });

  it('does not answer a session that ended while it waited', async () => {
    const { body } = await florin.logIn('waits@example.com');
    const held = read(body.access_token, '?after=now', { prefer: 'wait=5' });
    await florin.call('DELETE', `/api/v1/sessions/${body.session_id}`, undefined, bearer(body.access_token));
    expect((await held).status).toBe(401);
  });

  it.each([
    ['limit=0', 422, undefined],
    ['limit=501', 422, undefined],
    ['limit=many', 422, undefined],
    ['types=payment.done', 400, 'event.unknown_type'],
    ['types=*', 400, 'event.unknown_type'],
    ['after=yesterday', 400, 'cursor.invalid'],
    [`after=${'e'.repeat(65)}`, 422, undefined],
    [`after=evt_${'0'.repeat(35)}`, 410, 'cursor.lost'],
  ])('refuses %s', async (query, status, code) => {
    for (const token of [ada.accessToken, key]) {
      const answer = await read(token, `?${query}`);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
    if (code === 'cursor.lost') expect((await read(key, `?${query}`)).body.resume_after).toBe('start');
  });

  it('needs a credential with the right scope, and a key is good for nothing else here', async () => {
    expect((await florin.call('GET', '/api/v1/events')).body.code).toBe('auth.required');
    expect((await read(await makeKey('read', 'send'))).body).toMatchObject({ code: 'auth.scope', scope: 'events' });
    expect((await read('fsk_unknown')).body).toMatchObject({ code: 'auth.invalid', reason: 'unknown' });
    for (const path of ['/api/v1/me', '/api/v1/events/stream', '/api/v1/sessions'])
      expect([path, (await florin.call('GET', path, undefined, bearer(key))).status]).toEqual([path, 401]);
    const other = await florin.call('GET', `/circle/transaction/${randomUUID()}`, undefined, bearer(key));
    expect([other.status, other.body.code]).toEqual([403, 'auth.scope']);
  });
});

describe('GET /api/v1/events/stream', () => {
  interface Received {
    readonly id?: string;
    readonly event?: string;
    readonly data?: { readonly transaction_id: string };
  }

  /** Reads blocks of server-sent events as they come. */
  async function follow(token: string, headers: Record<string, string> = {}, query = '') {
    const cut = new AbortController();
    const answer = await fetch(`${florin.backendUrl}/api/v1/events/stream${query}`, {
      headers: { ...bearer(token), ...headers },
      signal: cut.signal,
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    async function next(): Promise<Received | 'end'> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const lines = text.slice(0, end).split('\n');
          text = text.slice(end + 2);
          // A heartbeat.
          if (lines.every((line) => line.startsWith(':'))) continue;
          const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          const data = of('data');
          return {
            ...(of('id') !== undefined && { id: of('id')! }),
            ...(of('event') !== undefined && { event: of('event')! }),
            ...(data !== undefined && { data: JSON.parse(data) as { transaction_id: string } }),
          };
        }
        const { done, value } = await reader.read();
        if (done) return 'end';
        text += value;
      }
    }
    return { answer, next, cut: () => cut.abort() };
  }

  it('sends a person their events as they come, and after a reconnect what they missed', async () => {
    const after = await present();
    const stream = await follow(bob.accessToken);
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.answer.headers.get('cache-control')).toBe('no-store');
    expect(await stream.next()).toEqual({ id: after });
    const paid = [await pay(ada, bob), await pay(bob, eve)];
    await pay(ada, eve);
    const received = [await stream.next(), await stream.next()] as Received[];
    expect(received.map(({ data }) => data!.transaction_id)).toEqual(paid);
    expect(received[0]).toMatchObject({
      event: 'payment.complete',
      data: { id: received[0]!.id, object: { state: 'COMPLETE' } },
    });
    stream.cut();

    paid.push(await pay(eve, bob), await pay(ada, bob));
    const resumed = await follow(bob.accessToken, { 'last-event-id': received[1]!.id! });
    expect(await resumed.next()).toEqual({ id: received[1]!.id });
    const rest = [await resumed.next(), await resumed.next()] as Received[];
    paid.push(await pay(bob, ada));
    rest.push((await resumed.next()) as Received);
    expect(rest.map(({ data }) => data!.transaction_id)).toEqual(paid.slice(2));
    resumed.cut();

    const some = await follow(bob.accessToken, {}, `?after=${after}&types=kyc.*`);
    await some.next();
    await db.query(`UPDATE users SET kyc_status = 'approved' WHERE user_id = $1`, [bob.userId]);
    expect(await some.next()).toMatchObject({ event: 'kyc.approved' });
    some.cut();
  });

  it('has unnamed events on request, for onmessage, and resumes at an id in the URL', async () => {
    const after = await present();
    const paid = [await pay(ada, bob), await pay(bob, eve)];
    await settleFeed(db);
    const stream = await follow(bob.accessToken, {}, `?after=${after}&event_name=message`);
    await stream.next();
    const first = (await stream.next()) as Received;
    expect([first.event, first.data!.transaction_id]).toEqual([undefined, paid[0]]);
    expect(first.data).toMatchObject({ type: 'payment.complete' });
    stream.cut();
    const resumed = await follow(bob.accessToken, {}, `?after=start&lastEventId=${first.id}`);
    expect(await resumed.next()).toEqual({ id: first.id });
    expect(await resumed.next()).toMatchObject({ event: 'payment.complete', data: { transaction_id: paid[1] } });
    resumed.cut();
    const wrong = await read(bob.accessToken, '/stream?event_name=other');
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'event_name']]);
  });

  it('allows twenty streams per person, and an ended stream frees its slot', async () => {
    const { body } = await florin.logIn('many@example.com');
    const open = (token: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const asked = { agent: false, headers: bearer(token) };
        get(`${florin.backendUrl}/api/v1/events/stream`, asked, resolve).on('error', reject);
      });
    const statusOf = async (token: string) => {
      const answer = await open(token);
      answer.destroy();
      return answer.statusCode;
    };
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(body.access_token)));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
    const refused = await open(body.access_token);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    refused.destroy();
    expect(await statusOf(bob.accessToken)).toBe(200);
    streams[0]!.destroy();
    await eventually(async () => expect(await statusOf(body.access_token)).toBe(200));
    for (const stream of streams) stream.destroy();
  });

  it('ends when its session is revoked', async () => {
    const { body } = await florin.logIn('leaves@example.com');
    const others = await follow(bob.accessToken);
    const stream = await follow(body.access_token);
    expect(await stream.next()).toHaveProperty('id');
    expect(await others.next()).toHaveProperty('id');
    const end = stream.next();
    await florin.call('DELETE', `/api/v1/sessions/${body.session_id}`, undefined, bearer(body.access_token));
    expect(await end).toBe('end');
    const paid = await pay(ada, bob);
    expect(await others.next()).toMatchObject({ data: { transaction_id: paid } });
    others.cut();
    expect((await follow(body.access_token)).answer.status).toBe(401);
  });

  it('refuses a lost or malformed cursor before it begins', async () => {
    const lost = await follow(bob.accessToken, { 'last-event-id': `evt_${'0'.repeat(35)}` });
    expect([lost.answer.status, lost.answer.headers.get('content-type')]).toEqual([410, 'application/problem+json']);
    expect((await follow(bob.accessToken, { 'last-event-id': 'x' })).answer.status).toBe(400);
    expect((await florin.call('GET', '/api/v1/events/stream')).body.code).toBe('auth.required');
  });

  it('reaches the client package completely and once through a proxy that buffers, loses data and disconnects', async () => {
    const proxy = await serveBadProxy(florin.backendUrl);
    const session = {
      userId: eve.userId,
      sessionId: 's',
      accessToken: eve.accessToken,
      refreshToken: '',
      refreshKey: '',
    };
    const client = createClient({
      backendUrl: proxy.url,
      store: { load: () => ({ ...session, accessEndsAt: Date.now() + 3_600_000 }), save() {} },
      retry: { firstPauseMs: 10 },
    });
    const after = await present();
    const over = new AbortController();
    const taken: string[] = [];
    const taking = (async () => {
      for await (const { transaction_id: id } of client.events({ after }, { signal: over.signal })) {
        taken.push(id!);
        if (taken.length === 40) return;
      }
    })();
    const paid: string[] = [];
    for (let i = 0; i < 40; i++) {
      paid.push(await pay(i % 2 ? ada : eve, i % 2 ? eve : bob));
      await sleep(20);
    }
    await taking;
    expect(taken).toEqual(paid);
    expect(proxy.cuts).toBeGreaterThan(0);
    over.abort();
    await proxy.stop();
  });

  it('ends when the server stops, which does not wait for it', async () => {
    const stream = await follow(bob.accessToken);
    expect(await stream.next()).toHaveProperty('id');
    const end = stream.next();
    await florin.stop();
    expect(await end).toBe('end');
  });
});
