/** The client package against the whole server and its database, through a proxy that checks and loses answers. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type FlorinClient } from '../../sdk/src/client/createClient.ts';
import { FlorinError } from '../../sdk/src/FlorinError.ts';
import type { Session, SessionStore } from '../../sdk/src/keepSession.ts';
import { newKey } from '../../sdk/src/newKey.ts';
import { formatUsdc, parseUsdc, type Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { type JudgedProxy, serveJudgedProxy } from '../support/http/serveJudgedProxy.ts';
import { layWire } from '../support/http/wire.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { operate } from '../support/operate.ts';
import { howMany } from '../support/run/thorough.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

let florin: TestServer;
let db: Db;
let backend: JudgedProxy;
let web3: JudgedProxy;
let alice: FlorinClient;
let bob: FlorinClient;
/** What the proxy loses; each test chooses. */
let isLost = (_nth: number, _path: string): boolean => false;
const retry = { attempts: 40, firstPauseMs: 2, longestPauseMs: 50 };

function storeOf(): SessionStore & { kept: Session | undefined } {
  return {
    kept: undefined,
    load() {
      return this.kept;
    },
    save(session) {
      this.kept = session;
    },
  };
}
const aliceStore = storeOf();

async function arrive(username: string, store: SessionStore = storeOf()): Promise<FlorinClient> {
  const client = createClient({ backendUrl: backend.url, retry, store });
  const { user } = await client.login(await florin.issuer.issueIdToken(`${username}@example.com`));
  await client.setUsername(username);
  await openUserAccount(db, await openAsset(db, HOME, 'USDC'), user.user_id);
  const deposit = { depositId: randomUUID(), userId: user.user_id, blockchain: HOME, amount: parseUsdc('2000') };
  await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
  return client;
}

beforeAll(async () => {
  florin = await startTestServer({ FLORIN_REQUIRE_IDEMPOTENCY_KEY: 'true' });
  db = openDatabase(florin.databaseUrl);
  backend = await serveJudgedProxy('backend', florin.backendUrl, (nth, path) => isLost(nth, path));
  web3 = await serveJudgedProxy('web3', florin.web3Url);
  alice = await arrive('alice_sdk', aliceStore);
  bob = await arrive('bob_sdk');
});
afterAll(async () => {
  await Promise.all([backend.close(), web3.close()]);
  await db.close();
  await florin.stop();
});
beforeEach(() => {
  isLost = () => false;
});

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
const available = async (client: FlorinClient) => (await firstOf(client.history({ limit: 1 })))!.available_after;

/** The number of intents; an export has more rows than that. */
const INTENTS = howMany(200, 1_000);

it('pays each of many intents once while every third answer is lost', async () => {
  const before = backend.passed.length;
  isLost = (nth) => nth % 3 === 2;
  const keys = Array.from({ length: INTENTS }, newKey);
  const ids = new Set<string>();
  await Promise.all(
    Array.from({ length: 20 }, async (_, worker) => {
      for (let nth = worker; nth < keys.length; nth += 20) {
        const payment = { receiver_username: 'bob_sdk', amount: '0.000001' };
        // Every other intent has a key from outside, the others one that the client makes.
        const options = nth % 2 === 0 ? { idempotencyKey: keys[nth] } : {};
        ids.add((await alice.pay(payment, options)).transaction_id);
      }
    }),
  );
  isLost = () => false;
  const lost = backend.passed.slice(before).filter((one) => one.isLost);
  expect(lost.length).toBeGreaterThan(0.4 * INTENTS);
  expect(ids.size).toBe(INTENTS);
  const moved = [2_000_000_000n - BigInt(INTENTS), 2_000_000_000n + BigInt(INTENTS)];
  expect([await available(alice), await available(bob)]).toEqual(moved.map((one) => formatUsdc(one as Usdc)));
  const listed = new Set<string>();
  for await (const one of alice.history({ kind: 'user', limit: 200 })) listed.add(one.transaction_id);
  expect(listed).toEqual(ids);
  expect(backend.faults).toEqual([]);
});

describe('a call', () => {
  it('with the same key pays once, with another body not at all', async () => {
    const idempotencyKey = newKey();
    const payment = { receiver_username: 'bob_sdk', amount: '1.100001' };
    const [first, again] = [await alice.pay(payment, { idempotencyKey }), await alice.pay(payment, { idempotencyKey })];
    expect(again).toEqual(first);
    expect(first).toMatchObject({ amount: '1.100001', state: 'COMPLETE' });
    const other = alice.pay({ ...payment, amount: '1.100002' }, { idempotencyKey });
    await expect(other).rejects.toMatchObject({ code: 'idempotency.mismatch', outcomeUnknown: false, idempotencyKey });
  });

  it('is refused with a typed error', async () => {
    const error = await alice.pay({ receiver_username: 'bob_sdk', amount: '999999' }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(FlorinError);
    expect(error).toMatchObject({ code: 'balance.insufficient', status: 409, outcomeUnknown: false });
    expect((error as FlorinError).problem!.available).toBe(await available(alice));
    // Not through the proxy, which would rightly complain.
    const direct = createClient({ backendUrl: florin.backendUrl, store: aliceStore });
    const invalid = direct.pay({ receiver_username: 'bob_sdk', amount: '0' });
    await expect(invalid).rejects.toMatchObject({ code: 'request.invalid', fields: [{ loc: ['body', 'amount'] }] });
  });

  it('whose every answer is lost has paid once, and reports that it may have', async () => {
    isLost = () => true;
    const before = await db.query('SELECT 1 FROM transfers');
    const hasty = createClient({ backendUrl: backend.url, store: aliceStore, retry: { ...retry, attempts: 3 } });
    const idempotencyKey = newKey();
    const payment = { receiver_username: 'bob_sdk', amount: '0.5' };
    const lost = hasty.pay(payment, { idempotencyKey });
    await expect(lost).rejects.toMatchObject({ code: 'connection.lost', outcomeUnknown: true, idempotencyKey });
    isLost = () => false;
    expect(await hasty.pay(payment, { idempotencyKey })).toMatchObject({ amount: '0.5', state: 'COMPLETE' });
    expect(await db.query('SELECT 1 FROM transfers')).toHaveLength(before.length + 1);
  });
});

describe('a session', () => {
  it('is refreshed once for fifty concurrent callers, although the first answer is lost', async () => {
    aliceStore.kept = { ...aliceStore.kept!, accessToken: `fla_${'A'.repeat(43)}` };
    const fresh = createClient({ backendUrl: backend.url, store: aliceStore, retry });
    const before = backend.passed.length;
    const refreshes = () => backend.passed.slice(before).filter(({ path }) => path === '/api/v1/sessions/refresh');
    isLost = (_, path) => path === '/api/v1/sessions/refresh' && refreshes().length === 0;
    await Promise.all(Array.from({ length: 50 }, () => fresh.me()));
    expect(refreshes().map(({ status, isLost: lost }) => [status, lost])).toEqual([
      [200, true],
      [200, false],
    ]);
    expect(new Set(refreshes().map(({ key }) => key)).size).toBe(1);
    // The earlier client uses what the other one has stored.
    expect((await alice.me()).user.username).toBe('alice_sdk');
    expect(refreshes()).toHaveLength(2);
  });

  it('ends at the service when the person logs out', async () => {
    const store = storeOf();
    const carol = await arrive('carol_sdk', store);
    const { accessToken } = store.kept!;
    await carol.logout();
    expect(store.kept).toBeUndefined();
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await florin.call('GET', '/api/v1/me', undefined, headers)).status).toBe(401);
  });
});

describe('events', () => {
  it('reach a person over an interrupted stream, and a service page by page: the same ones, in order', async () => {
    await settleFeed(db);
    const { next_cursor: after } = await alice.call('list_events', { query: { after: 'now' } });
    const types = ['payment.complete'];
    const wire = await layWire(florin.backendUrl);
    const live = createClient({ backendUrl: wire.url, store: aliceStore, retry });
    const paid: string[] = [];
    const pay = async () => {
      const { transaction_id } = await alice.pay({ receiver_username: 'bob_sdk', amount: '0.000002' });
      paid.push(transaction_id);
    };
    await pay();
    const heard: (string | null)[] = [];
    for await (const event of live.events({ after, types })) {
      heard.push(event.transaction_id);
      if (heard.length === 4) break;
      // The next one happens while the stream is down.
      wire.cut();
      await pay();
      wire.restore();
    }
    await wire.remove();
    expect(heard).toEqual(paid);

    const [serviceKey] = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'reader', '--scope', 'events'))!;
    const service = createClient({ backendUrl: backend.url, backendKey: serviceKey, retry });
    const read: (string | null)[] = [];
    for await (const event of service.events({ after, types })) {
      read.push(event.transaction_id);
      if (read.length === 4) break;
    }
    expect(read).toEqual(paid);
    const lost = service.events({ after: `evt_${'0'.repeat(34)}9` });
    await expect(lost.next()).rejects.toMatchObject({ code: 'cursor.lost', problem: { resume_after: 'start' } });
  });
});

it('takes payout files and returns statements in CSV, with one client for both APIs', async () => {
  const before = [backend, web3].map(({ passed }) => passed.length);
  const [backendKey] = /fsk_\S+/.exec(
    await operate(db, 'key', 'create', 'payer', '--scope', 'payouts,webhooks', '--any-wallet'),
  )!;
  const service = createClient({ backendUrl: backend.url, web3Url: web3.url, backendKey, retry });
  const file = 'reference,to,amount\nr1,bob_sdk,0.5\nr2,bob_sdk,0.25\n';
  const checked = await service.payouts.create(file, { payer: 'alice_sdk' });
  expect([checked.count, checked.total, checked.lastResponse.status]).toEqual([2, '0.75', 200]);
  const wrong = service.payouts.create(`${file}r1,bob_sdk,1e3\n`, { payer: 'alice_sdk' });
  await expect(wrong).rejects.toMatchObject({ code: 'payout.invalid', status: 422, headers: expect.any(Headers) });
  const items = await service.payouts.items(checked.payout_id, { limit: 1 }).toArray({ limit: 5 });
  expect(items.map(({ reference }) => reference)).toEqual(['r1', 'r2']);
  const exported = await service.payouts.exportItems(checked.payout_id);
  expect(
    exported.text
      .trim()
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['reference', 'r1', 'r2']);
  expect((await service.payouts.list().toArray({ limit: 10 })).map((one) => one.payout_id)).toEqual([
    checked.payout_id,
  ]);
  expect((await service.payouts.cancel(checked.payout_id)).state).toBe('cancelled');
  expect(await service.webhookEndpoints.list()).toEqual([]);

  const paid = await alice.pay({ receiver_username: 'bob_sdk', amount: '0.01' });
  expect(paid.lastResponse).toMatchObject({
    status: 200,
    attempts: 1,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await service.wallets.getTransaction(paid.transaction_id)).toMatchObject({ amount: '0.01' });
  const recent = await alice.history({ limit: 2 }).toArray({ limit: 5 });
  let statement = '';
  for await (const piece of alice.historyCsv({ limit: 2, to: recent[0]!.created_at })) {
    statement += piece;
    if (statement.split('\r\n').length > 6) break;
  }
  expect(
    statement
      .split('\r\n')
      .slice(0, 3)
      .map((line) => line.split(',')[0]),
  ).toEqual(['transaction_id', expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(statement.match(/transaction_id/g)).toHaveLength(1);
  const [one, other] = [backend, web3].map(({ passed }, nth) => passed.length - before[nth]!);
  expect([one! > 8, other]).toEqual([true, 1]);
  expect([...backend.faults, ...web3.faults]).toEqual([]);
});

it('supports everything else that a person can do, as documented', async () => {
  expect((await alice.limits()).can_pay).toBe(true);
  expect((await alice.checkUsername('bob_sdk')).state).toBe('taken');
  expect(await alice.preview({ receiver_username: 'bob_sdk', amount: '0.25' })).toMatchObject({ amount: '0.25' });
  const asked = await bob.requests.ask({ payer_username: 'alice_sdk', amount: '0.75', note: 'tea' });
  const seen = await firstOf(alice.requests.list({ direction: 'incoming' }));
  expect(seen).toMatchObject({ request_id: asked.request_id, amount: '0.75', state: 'open' });
  expect(await alice.requests.pay(asked.request_id)).toMatchObject({ state: 'COMPLETE', amount: '0.75' });
  expect((await alice.requests.get(asked.request_id)).state).toBe('paid');
  const other = await bob.requests.ask({ payer_username: 'alice_sdk', amount: '1' });
  expect((await alice.requests.decline(other.request_id)).state).toBe('declined');
  const third = await bob.requests.ask({ amount: '1' });
  expect((await bob.requests.cancel(third.request_id)).state).toBe('cancelled');
  expect((await alice.sessions.list()).some(({ current }) => current)).toBe(true);
  expect(await firstOf(alice.recipients({ limit: 1 }))).toBeDefined();
  const paid = await alice.pay({ receiver_username: 'bob_sdk', amount: '0.01' });
  expect(await alice.waitFor(paid)).toMatchObject({ state: 'COMPLETE' });
  expect((await alice.exportAccount()).transactions.length).toBeGreaterThan(INTENTS);
  await expect(alice.closeAccount()).rejects.toMatchObject({ code: 'account.not_empty' });
  await expect(alice.cancelTransaction(paid.transaction_id)).rejects.toMatchObject({ code: 'payment.ended' });

  const service = createClient({ web3Url: web3.url, retry });
  expect(await service.wallets.getTransaction(paid.transaction_id)).toMatchObject({ amount: '0.01' });
  const { wallet } = await alice.me();
  if (wallet.address !== null) expect((await service.wallets.overview(wallet.address)).address).toBe(wallet.address);
  const strict = createClient({ web3Url: web3.url, web3Key: `fsk_${'A'.repeat(43)}` });
  await expect(strict.wallets.getTransaction(paid.transaction_id)).rejects.toMatchObject({
    code: 'auth.invalid',
    status: 401,
  });
  expect([...backend.faults, ...web3.faults]).toEqual([]);
});

it('the proxy finds requests and answers that are not as documented', async () => {
  const mirror = await serveJudgedProxy('backend', florin.backendUrl);
  const wrong = [
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v1/login', '{"id_token":"x","more":1}'],
    ['POST', '/api/v1/login', '{}'],
    ['GET', '/api/v1/me'],
    ['POST', '/api/v1/send_usdc', '{"sender_user_id":"x"}'],
  ] as const;
  for (const [method, path, body] of wrong)
    await fetch(mirror.url + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    });
  await mirror.close();
  expect(mirror.faults).toEqual([
    expect.stringContaining('no such operation'),
    expect.stringContaining('unevaluated'),
    expect.stringContaining("must have required property 'id_token'"),
    expect.stringContaining('the credential is missing'),
    expect.stringContaining('the credential is missing'),
  ]);
});
