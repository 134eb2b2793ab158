/** `Prefer: wait` on a payment: one reader for all waiting callers, and nothing remains of those who leave. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { PayError } from '../../server/src/core/errors.ts';
import type { Db, Queryable } from '../../server/src/db/database.ts';
import { openFollower } from '../../server/src/events/openFollower.ts';
import { openPaymentWaits } from '../../server/src/events/openPaymentWaits.ts';
import { sendUsdcOperation } from '../../server/src/http/web3/sendUsdc.ts';
import { openDestinations } from '../../server/src/payments/destinations/openDestinations.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { eventually } from '../support/eventually.ts';
import { readAnswer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { openTestWaits, type TestWaits } from '../support/http/openTestWaits.ts';
import { type ServedOperations, serveOperations } from '../support/http/serveOperations.ts';

/** Also for one connection. */
const MOST = 12;

let world: CustodyWorld;
let api: ServedOperations;
let waits: TestWaits;
/** The statements of the follower and of the waiting calls. */
let statements: string[] = [];
/** A hook before one of their statements. */
let before: (sql: string) => Promise<void> | undefined = () => undefined;

const count = (part: string) => statements.filter((sql) => sql.includes(part)).length;
const reads = () => count('transfers_by_id');
const countPolls = () => count('follow_events');

beforeAll(async () => {
  world = await startCustody();
  await world.fund({ treasury: '100' });
  const db: Queryable = {
    async query(sql, values) {
      statements.push(sql);
      await before(sql);
      return world.db.query(sql, values);
    },
  };
  waits = openTestWaits(db, { caller: MOST, all: 100 });
  const app = { db: world.db, destinations: openDestinations([world.chain], 'USDC'), sends: world.sends, ...waits };
  api = await serveOperations('web3', { send_specific_amount_usdc_wallet_send_usdc_post: sendUsdcOperation(app) });
});
afterAll(async () => {
  await waits.follower.close();
  await api.close();
  await world.stop();
});
beforeEach(() => {
  statements = [];
  before = () => undefined;
});

const wish = () => ({ destination_address: randomAddress(), amount: 0.5 });
async function send(body: unknown, key: string, headers: Record<string, string> = { prefer: 'wait=60' }, init = {}) {
  const response = await fetchChecked(`${api.url}/wallet/send-usdc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
    body: JSON.stringify(body),
    ...init,
  });
  return readAnswer(response);
}
async function accept() {
  const [body, key] = [wish(), randomUUID()];
  const id: string = (await send(body, key, {})).body.transaction_id;
  // Otherwise its first event may still be pending.
  await settleFeed(world.db);
  return { body, key, id };
}
const cancel = (paymentId: string, db: Db = world.db) =>
  db.tx((tx) => cancelPayment(tx, { paymentId, payerId: undefined }));
function createGate() {
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}
/** The number of answers that the caller of these tests holds. */
function countHeld(): number {
  const ends = [];
  for (let end = waits.heldAnswers.begin('127.0.0.1'); end; end = waits.heldAnswers.begin('127.0.0.1')) ends.push(end);
  for (const end of ends) end();
  return MOST - ends.length;
}
const toEnd = ({ body, headers }: Awaited<ReturnType<typeof send>>) => [body.state, headers.get('preference-applied')];

it('reads a payment once for all who wait, nothing while nothing happens, and answers all with its end', async () => {
  const { body, key, id } = await accept();
  const held = Array.from({ length: MOST }, () => send(body, key));
  await eventually(() => expect([countHeld(), reads()]).toEqual([MOST, 1]));
  const then = countPolls();
  // Other payments are events too.
  const other = await accept();
  await cancel(other.id);
  await eventually(() => expect(countPolls()).toBeGreaterThan(then + 20));
  expect(reads()).toBe(1);
  await cancel(id);
  expect((await Promise.all(held)).map(toEnd)).toEqual(Array(MOST).fill(['CANCELLED', 'wait=60']));
  expect(reads()).toBe(2);
  await eventually(() => expect(countHeld()).toBe(0));
});

it('answers immediately when the payment ended after it was accepted and before the call listened', async () => {
  const { id } = await accept();
  const gate = createGate();
  let isReached = false;
  const follower = openFollower({
    async query(sql, values) {
      // The end of the feed: earlier events never arrive.
      if (sql.includes('last_event()')) {
        isReached = true;
        await gate.passed;
      }
      return world.db.query(sql, values);
    },
  });
  const waiting = openPaymentWaits(world.db, follower).waitForEnd(id, AbortSignal.timeout(100_000));
  await eventually(() => expect(isReached).toBe(true));
  await cancel(id);
  await settleFeed(world.db);
  gate.pass();
  expect(await waiting).toMatchObject({ state: 'CANCELLED' });
  await follower.close();
});

it('limits the held answers of a caller: the next call gets the current state', async () => {
  const first = await accept();
  const held = Array.from({ length: MOST }, () => send(first.body, first.key));
  await eventually(() => expect(countHeld()).toBe(MOST));
  const replay = await send(first.body, first.key);
  const fresh = await send(wish(), randomUUID());
  expect([replay.status, ...toEnd(replay), replay.headers.get('idempotency-replayed')]).toEqual([
    200,
    'INITIATED',
    null,
    'true',
  ]);
  expect([fresh.status, ...toEnd(fresh)]).toEqual([200, 'INITIATED', null]);
  const ended = await accept();
  await cancel(ended.id);
  expect(toEnd(await send(ended.body, ended.key))).toEqual(['CANCELLED', null]);
  await cancel(first.id);
  expect((await Promise.all(held)).map(toEnd)).toEqual(Array(MOST).fill(['CANCELLED', 'wait=60']));
});

it('frees everything when the caller disconnects', async () => {
  const gone = new AbortController();
  const { body, key } = await accept();
  const asking = send(body, key, { prefer: 'wait=60' }, { signal: gone.signal });
  await eventually(() => expect([countHeld(), reads()]).toEqual([1, 1]));
  gone.abort();
  await expect(asking).rejects.toThrow(/abort/);
  // Sooner than the requested minute.
  await vi.waitFor(() => expect(countHeld()).toBe(0), { timeout: 30_000 });
});

it('holds many answers on one connection', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const { body, key, id } = await accept();
  const text = JSON.stringify(body);
  const head = [
    'Host: localhost',
    'Content-Type: application/json',
    'Prefer: wait=60',
    `Idempotency-Key: ${key}`,
    `Content-Length: ${text.length}`,
  ];
  const request = `${['POST /wallet/send-usdc HTTP/1.1', ...head].join('\r\n')}\r\n\r\n${text}`;
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  let answered = '';
  socket.on('data', (bytes) => {
    answered += bytes;
  });
  socket.write(request.repeat(MOST));
  await eventually(() => expect(countHeld()).toBe(MOST));
  await cancel(id);
  await eventually(() => expect(answered.match(/HTTP.1.1 200 OK/g)).toHaveLength(MOST));
  socket.destroy();
  process.off('warning', warn);
  expect(warnings.map(({ message }) => message)).toEqual([]);
});

it('reads again when the first read failed', async () => {
  const { body, key, id } = await accept();
  const asking = send(body, key);
  await eventually(() => expect([countHeld(), reads()]).toEqual([1, 1]));
  let failures = 0;
  before = (sql) =>
    sql.includes('transfers_by_id') && failures++ === 0 ? Promise.reject(new Error('cut')) : undefined;
  await cancel(id);
  expect(toEnd(await asking)).toEqual(['CANCELLED', 'wait=60']);
  expect(reads()).toBe(3);
});

it('answers with the last known state when the database is down at the end of the wait', async () => {
  before = () => Promise.reject(new PayError('service.unavailable', { dependency: 'database' }));
  expect(toEnd(await send(wish(), randomUUID(), { prefer: 'wait=1' }))).toEqual(['INITIATED', 'wait=1']);
});

it('ends all waits with the process, also when the database does not answer', async () => {
  const { id } = await accept();
  const gate = createGate();
  let isHanging = false;
  const db: Queryable = {
    async query(sql, values) {
      if (isHanging) await gate.passed;
      return world.db.query(sql, values);
    },
  };
  const follower = openFollower(db, { everyMs: 10 });
  const own = openPaymentWaits(db, follower);
  const never = new AbortController();
  const waiting = own.waitForEnd(id, never.signal);
  await eventually(async () => expect(await own.read(id)).toMatchObject({ state: 'INITIATED' }));
  isHanging = true;
  const newcomer = own.waitForEnd((await accept()).id, never.signal);
  const left = new AbortController();
  const leaving = own.waitForEnd((await accept()).id, left.signal);
  left.abort();
  expect(await leaving).toBeUndefined();
  const closing = follower.close();
  await Promise.all([waiting, newcomer]);
  expect(await own.waitForEnd(id, never.signal)).toBeUndefined();
  gate.pass();
  await closing;
});
