/** Webhooks whose receivers hang, answer too late, or refuse one event of an ordered sequence. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openReceivers } from '../../server/src/adapters/supplied/openReceivers.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { listDeliveries, replayOne } from '../../server/src/events/webhooks/deliveries.ts';
import { createEndpoint, type EndpointWish, removeEndpoint } from '../../server/src/events/webhooks/endpoints.ts';
import { followFeed } from '../../server/src/events/webhooks/followFeed.ts';
import { openSender } from '../../server/src/events/webhooks/openSender.ts';
import { FOLLOW_JOB, webhookJobs } from '../../server/src/events/webhooks/webhookJobs.ts';
import { ensureJob } from '../../server/src/jobs/jobs.ts';
import { runJobs } from '../../server/src/jobs/runJobs.ts';
import { watchDue } from '../../server/src/jobs/watchDue.ts';
import { urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/http/startReceiver.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const SANDBOX = { allowsLoopback: true };
let florin: PaymentsServer;
let server: Db;
let worker: Db;
let alice: Person;
const receivers = openReceivers(SANDBOX);
const stopping = new AbortController();
const started: Receiver[] = [];
const made: string[] = [];

beforeAll(async () => {
  florin = await startPayments();
  server = openDatabase(urlAs(florin.databaseUrl, 'server'), { maxConnections: 3 });
  worker = openDatabase(urlAs(florin.databaseUrl, 'worker'), { maxConnections: 8 });
  alice = await createPerson(florin.db, 'alice', '1000');
});
afterEach(async () => {
  for (const id of made.splice(0)) await server.tx((tx) => removeEndpoint(tx, 'key:test', id));
  await Promise.all(started.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  stopping.abort();
  receivers.close();
  await Promise.all([server.close(), worker.close()]);
  await florin.stop();
});

const openTestSender = (reached = receivers) =>
  openSender({ db: worker, receivers: reached, signal: stopping.signal, onSwitchedOff: () => {} });

async function receive(wish: Partial<EndpointWish> = {}): Promise<Receiver & { readonly id: string }> {
  const receiver = await startReceiver();
  started.push(receiver);
  const whole = { url: receiver.url, description: '', types: ['*'], inOrder: false, ...wish };
  const { endpoint, secret } = await server.tx((tx) => createEndpoint(tx, 'key:test', whole, SANDBOX));
  made.push(endpoint.endpointId);
  receiver.trust(secret);
  return Object.assign(receiver, { id: endpoint.endpointId });
}

/** An event of the type `deposit.complete`; its id is what receivers get. */
async function happen(): Promise<string> {
  const depositId = randomUUID();
  const from = { userId: alice.userId, blockchain: HOME, fromAddress: `0x${'f'.repeat(40)}` };
  await florin.db.tx((tx) => recordDeposit(tx, { ...from, depositId, amount: parseUsdc('0.000001') }));
  return depositId;
}

const idsOf = ({ heard }: Receiver) => heard.map(({ data }) => data.transaction_id);
const deliveriesOf = async (endpointId: string) => (await listDeliveries(server, { endpointId, limit: 100 })).items;
/** Runs the worker's steps until they have this effect; other databases of this PostgreSQL may hold the feed back. */
const work = <T>(endpointIds: readonly string[], check: () => T | Promise<T>): Promise<T> =>
  eventually(async () => {
    await followFeed(worker);
    for (const id of endpointIds) await openTestSender().sendDue(id);
    return check();
  });
/** As if the pause before the next attempt were over. */
const passTime = (endpointId: string) =>
  florin.admin.query('UPDATE webhook_deliveries SET due_at = now() WHERE endpoint_id = $1 AND due_at IS NOT NULL', [
    endpointId,
  ]);

it('delivers to another endpoint immediately, however many receivers hang', async () => {
  // It has none of the secrets, and answers no one.
  const hanging = await startReceiver();
  started.push(hanging);
  let asked = 0;
  hanging.doubt(() => void asked++);
  await florin.admin.query(
    `WITH many AS (INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place)
       SELECT gen_random_uuid(), $1, 'hangs', '{*}', false, ledger_settled_seq() - 1 FROM generate_series(1, 40)
       RETURNING endpoint_id)
     INSERT INTO webhook_secrets (endpoint_id, number, secret) SELECT endpoint_id, 1, sha256('x') FROM many`,
    [hanging.url],
  );
  const reached = openReceivers(SANDBOX);
  await happen();
  const ending = new AbortController();
  await ensureJob(worker, FOLLOW_JOB, 'all');
  const running = runJobs(worker, webhookJobs(worker, openTestSender(reached)), ending.signal, {
    due: watchDue(worker, 20),
  });
  await eventually(() => expect(asked).toBeGreaterThanOrEqual(40));
  const quick = await receive();
  const id = await happen();
  await eventually(() => expect(idsOf(quick)).toContain(id));
  ending.abort();
  // Ends the hanging calls.
  reached.close();
  await running;
  await florin.admin.query(
    `UPDATE webhook_endpoints SET state = 'off', removed_at = now() WHERE description = 'hangs'`,
  );
});

it('a 200 that comes too late does not count, and the event is sent again under its id', async () => {
  const receiver = await receive();
  const held: (() => void)[] = [];
  receiver.answer((response) => void held.push(() => response.writeHead(200).end('sorry')));
  await happen();
  // Long enough for the call to arrive on a busy machine.
  const impatient = openReceivers({ ...SANDBOX, timeoutMs: 2_000 });
  await work([], async () => expect(await deliveriesOf(receiver.id)).toHaveLength(1));
  await openTestSender(impatient).sendDue(receiver.id);
  for (const answer of held) answer();
  impatient.close();
  expect(await deliveriesOf(receiver.id)).toMatchObject([{ state: 'waiting', status: null, attempts: 1 }]);
  receiver.answer((response) => response.end());
  await passTime(receiver.id);
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(2));
  expect(receiver.heard[1]!.id).toBe(receiver.heard[0]!.id);
  expect(await deliveriesOf(receiver.id)).toMatchObject([{ state: 'delivered', status: 200, attempts: 2 }]);
});

it('with ordered delivery, a failing event stops the ones behind it, which count no attempt', async () => {
  const receiver = await receive({ inOrder: true });
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push(await happen());
  let isDown = true;
  receiver.answer((response, { data }) =>
    isDown && data.transaction_id === ids[7]
      ? response.writeHead(503, { 'retry-after': '600' }).end()
      : response.writeHead(204).end(),
  );
  await work([receiver.id], () => expect(receiver.heard.length).toBeGreaterThanOrEqual(8));
  await work([receiver.id], async () => expect(await deliveriesOf(receiver.id)).toHaveLength(12));
  expect(idsOf(receiver)).toEqual(ids.slice(0, 8));
  const newest = await deliveriesOf(receiver.id);
  expect(newest.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  const { items } = await listDeliveries(server, { endpointId: receiver.id, state: 'waiting', limit: 100 });
  expect(items.map(({ eventId }) => eventId)).toEqual(newest.slice(0, 5).map(({ eventId }) => eventId));
  isDown = false;
  await passTime(receiver.id);
  await work([receiver.id], () => expect(receiver.heard.length).toBeGreaterThanOrEqual(13));
  expect(idsOf(receiver).slice(8)).toEqual(ids.slice(7));
});

it('keeps the attempts of a delivery, newest first, the last thirty and the start of each answer', async () => {
  const receiver = await receive({ inOrder: true });
  let calls = 0;
  receiver.answer((response) => response.writeHead(503).end(`${++calls} ${'x'.repeat(900)}`));
  await happen();
  await work([receiver.id], () => expect(calls).toBe(1));
  const [first] = await deliveriesOf(receiver.id);
  expect(first!.earlier).toEqual([]);
  for (let nth = 2; nth <= 33; nth++) {
    await passTime(receiver.id);
    await work([receiver.id], () => expect(calls).toBe(nth));
    if (nth > 2) continue;
    const [{ at, ...rest } = { at: '' }] = (await deliveriesOf(receiver.id))[0]!.earlier;
    expect(new Date(at)).toEqual(first!.attemptedAt);
    expect(rest).toEqual({ took_ms: first!.tookMs, status: 503, answer: `1 ${'x'.repeat(198)}`, fault: null });
  }
  const [last] = await deliveriesOf(receiver.id);
  expect([last!.attempts, last!.answer]).toEqual([33, `33 ${'x'.repeat(900)}`]);
  const numbers = last!.earlier.map(({ answer }) => Number.parseInt(answer!, 10));
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, i) => 32 - i));
  // Sending it again begins a new schedule and forgets nothing.
  await server.tx((tx) => replayOne(tx, receiver.id, last!.eventId));
  const [replayed] = await deliveriesOf(receiver.id);
  expect([replayed!.attempts, replayed!.earlier]).toEqual([0, last!.earlier]);
});
