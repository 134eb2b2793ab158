/** Webhooks: receivers on real sockets that accept only what the specification's library verifies. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openReceivers } from '../../server/src/adapters/supplied/openReceivers.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { listDeliveries, replayOne, replaySpan, sendTestEvent } from '../../server/src/events/webhooks/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  type EndpointWish,
  getEndpoint,
  removeEndpoint,
  rotateSecret,
} from '../../server/src/events/webhooks/endpoints.ts';
import { followFeed } from '../../server/src/events/webhooks/followFeed.ts';
import { openSender, type Sender } from '../../server/src/events/webhooks/openSender.ts';
import { FOLLOW_JOB, webhookJobs } from '../../server/src/events/webhooks/webhookJobs.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { ensureJob } from '../../server/src/jobs/jobs.ts';
import { runJobs } from '../../server/src/jobs/runJobs.ts';
import { urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createJudge } from '../support/http/createJudge.ts';
import { type Receiver, startReceiver } from '../support/http/startReceiver.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const ACTOR = 'key:test';
const SANDBOX = { allowsLoopback: true };
let florin: PaymentsServer;
let server: Db;
let worker: Db;
let sender: Sender;
let alice: Person;
const receivers = openReceivers(SANDBOX);
const stopping = new AbortController();
const switchedOff: string[] = [];
const started: Receiver[] = [];
const made: string[] = [];

beforeAll(async () => {
  florin = await startPayments();
  server = openDatabase(urlAs(florin.databaseUrl, 'server'), { maxConnections: 3 });
  worker = openDatabase(urlAs(florin.databaseUrl, 'worker'), { maxConnections: 8 });
  sender = openTestSender();
  alice = await createPerson(florin.db, 'alice', '1000');
  await createPerson(florin.db, 'bob');
});
afterEach(async () => {
  for (const id of made.splice(0)) await server.tx((tx) => removeEndpoint(tx, ACTOR, id)).catch(() => {});
  await Promise.all(started.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  stopping.abort();
  receivers.close();
  await Promise.all([server.close(), worker.close()]);
  await florin.stop();
});

const openTestSender = (reached = receivers) =>
  openSender({
    db: worker,
    receivers: reached,
    signal: stopping.signal,
    onSwitchedOff: (endpointId, failure) => switchedOff.push(`${endpointId} ${failure}`),
  });

async function receive(
  wish: Partial<EndpointWish> = {},
): Promise<Receiver & { readonly id: string; readonly secret: string }> {
  const receiver = await startReceiver();
  started.push(receiver);
  const { endpoint, secret } = await register({ url: receiver.url, ...wish });
  receiver.trust(secret);
  return Object.assign(receiver, { id: endpoint.endpointId, secret });
}

async function register(wish: Partial<EndpointWish> & Pick<EndpointWish, 'url'>) {
  const whole = { description: '', types: ['*'], inOrder: false, ...wish };
  const created = await server.tx((tx) => createEndpoint(tx, ACTOR, whole, SANDBOX));
  made.push(created.endpoint.endpointId);
  return created;
}

/** An event of the type `deposit.complete`; its id is what receivers get. */
async function happen(): Promise<string> {
  const depositId = randomUUID();
  const deposit = {
    depositId,
    userId: alice.userId,
    blockchain: HOME,
    amount: parseUsdc('0.000001'),
    fromAddress: `0x${'f'.repeat(40)}`,
  };
  await florin.db.tx((tx) => recordDeposit(tx, deposit));
  return depositId;
}

const idsOf = ({ heard }: Receiver) => heard.map(({ data }) => data.transaction_id);
const deliveriesOf = async (endpointId: string) => (await listDeliveries(server, { endpointId, limit: 100 })).items;

/** Runs the worker's steps until they have this effect; other databases of this PostgreSQL may hold the feed back. */
const work = <T>(endpointIds: readonly string[], check: () => T | Promise<T>): Promise<T> =>
  eventually(async () => {
    await followFeed(worker);
    for (const id of endpointIds) await sender.sendDue(id);
    return check();
  });
/** As if the pause before the next attempt were over. */
const passTime = (endpointId: string) =>
  florin.admin.query('UPDATE webhook_deliveries SET due_at = now() WHERE endpoint_id = $1 AND due_at IS NOT NULL', [
    endpointId,
  ]);

it('delivers a committed payment once, signed, with ids and nothing private', async () => {
  const receiver = await receive({ types: ['payment.*'] });
  await happen();
  const paid = await florin.send({ sender_user_id: alice.userId, receiver_username: 'bob', amount: 1.5 });
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  const [heard] = receiver.heard;
  expect(heard).toMatchObject({ type: 'payment.complete', data: { transaction_id: paid.body.transaction_id } });
  expect(Object.keys(heard!.data).sort()).toEqual(['transaction_id', 'user_ids']);
  expect(heard!.data.user_ids).toContain(alice.userId);
  expect(heard!.headers['content-type']).toBe('application/json');
  const { type, timestamp, data } = heard!;
  const judge = createJudge(readDocument('backend'));
  const message = { $ref: '#/components/schemas/PaymentMessage' };
  expect(judge.findSchemaFault(message, { type, timestamp, data })).toBeUndefined();
  const [delivery] = await deliveriesOf(receiver.id);
  expect(delivery).toMatchObject({ eventId: heard!.id, state: 'delivered', attempts: 1, status: 204, dueAt: null });
  await work([receiver.id], () => {});
  expect([receiver.heard.length, receiver.doubts]).toEqual([1, []]);
});

it('repeats a failed delivery later under the same id, and stores the answers', async () => {
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(500).end('out of paper\0'));
  await happen();
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  const [first] = await deliveriesOf(receiver.id);
  expect(first).toMatchObject({ state: 'waiting', attempts: 1, status: 500, answer: 'out of paper ' });
  expect(first!.dueAt!.getTime()).toBeGreaterThan(first!.attemptedAt!.getTime());
  expect((await getEndpoint(server, receiver.id)).failingSince).not.toBeNull();
  receiver.answer((response) => response.end('ok'));
  await passTime(receiver.id);
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(2));
  expect(receiver.heard[1]!.id).toBe(receiver.heard[0]!.id);
  const [second] = await deliveriesOf(receiver.id);
  expect(second).toMatchObject({ state: 'delivered', attempts: 2, status: 200, answer: 'ok' });
  expect((await getEndpoint(server, receiver.id)).failingSince).toBeNull();
});

it('gives up after the last attempt, while other deliveries continue, and can send it again', async () => {
  const receiver = await receive();
  const bad = await happen();
  const isBad = (id: unknown) => id === bad;
  receiver.answer((response, { data }) => response.writeHead(isBad(data.transaction_id) ? 503 : 200).end());
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  await florin.admin.query('UPDATE webhook_deliveries SET attempts = 10, due_at = now() WHERE endpoint_id = $1', [
    receiver.id,
  ]);
  await work([receiver.id], async () =>
    expect(await deliveriesOf(receiver.id)).toMatchObject([{ state: 'failed', attempts: 11 }]),
  );
  receiver.answer((response) => response.end());
  const eventId = receiver.heard[0]!.id;
  await server.tx((tx) => replayOne(tx, receiver.id, eventId));
  await work([receiver.id], async () =>
    expect(await deliveriesOf(receiver.id)).toMatchObject([{ state: 'delivered' }]),
  );
  expect(new Set(receiver.heard.map(({ id }) => id))).toEqual(new Set([eventId]));
  await expect(server.tx((tx) => replayOne(tx, receiver.id, 'evt_unknown'))).rejects.toMatchObject({
    code: 'webhook.event_unknown',
  });
});

it('follows no redirect, and cuts off an answer that drips or never ends', async () => {
  const target = await startReceiver();
  started.push(target);
  const redirecting = await receive();
  redirecting.answer((response) => response.writeHead(307, { location: target.url }).end());
  const endless = await receive();
  endless.answer((response) => {
    response.writeHead(200);
    response.write('x'.repeat(100_000));
  });
  const silent = await receive();
  silent.answer(() => {});
  await happen();
  const impatient = openReceivers({ ...SANDBOX, timeoutMs: 200 });
  await work([], async () => {
    for (const { id } of [redirecting, endless, silent]) expect(await deliveriesOf(id)).toHaveLength(1);
  });
  for (const { id } of [redirecting, endless]) await sender.sendDue(id);
  await openTestSender(impatient).sendDue(silent.id);
  impatient.close();
  expect(await deliveriesOf(redirecting.id)).toMatchObject([
    { state: 'waiting', status: null, fault: expect.stringContaining('redirects') },
  ]);
  expect([target.heard, target.doubts]).toEqual([[], []]);
  const [cut] = await deliveriesOf(endless.id);
  expect([cut!.state, cut!.status, cut!.answer!.length]).toEqual(['delivered', 200, 1_000]);
  expect(await deliveriesOf(silent.id)).toMatchObject([
    { state: 'waiting', status: null, fault: expect.stringContaining('no answer within 200 ms') },
  ]);
});

it('signs with both secrets during a rotation, and afterwards only with the new one', async () => {
  const receiver = await receive();
  const { secret } = await server.tx((tx) => rotateSecret(tx, ACTOR, receiver.id, null));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  receiver.trust(receiver.secret, secret);
  await happen();
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  expect(String(receiver.heard[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
  await florin.admin.query(
    'UPDATE webhook_secrets SET ends_at = now() WHERE endpoint_id = $1 AND ends_at IS NOT NULL',
    [receiver.id],
  );
  receiver.trust(secret);
  await happen();
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(2));
  expect(String(receiver.heard[1]!.headers['webhook-signature']).split(' ')).toHaveLength(1);
  expect(receiver.doubts).toEqual([]);
  // The old secret alone is no longer accepted.
  receiver.trust(receiver.secret);
  await happen();
  await work([receiver.id], () => expect(receiver.doubts).toHaveLength(1));
});

it('lets only the worker read secrets', async () => {
  const receiver = await receive();
  const read = (db: Db) => db.query('SELECT secret FROM webhook_secrets WHERE endpoint_id = $1', [receiver.id]);
  expect(await read(worker)).toHaveLength(1);
  for (const login of ['server', 'operator', 'reader'] as const) {
    const db = openDatabase(urlAs(florin.databaseUrl, login), { maxConnections: 1 });
    await expect(read(db)).rejects.toThrow(/permission denied/);
    await db.close();
  }
});

it('with ordered delivery, the next event waits for the one that fails; a test event does not', async () => {
  const receiver = await receive({ inOrder: true });
  receiver.answer((response) => response.writeHead(500).end());
  const ids = [await happen(), await happen(), await happen()];
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  await eventually(async () => {
    await followFeed(worker);
    expect(await deliveriesOf(receiver.id)).toHaveLength(3);
  });
  for (let i = 0; i < 3; i++) {
    await sender.sendDue(receiver.id);
    await florin.admin.query(
      `UPDATE webhook_deliveries SET attempts = 12, due_at = now() WHERE endpoint_id = $1 AND attempts > 0`,
      [receiver.id],
    );
  }
  // It is never skipped, however often it has failed.
  expect(new Set(idsOf(receiver))).toEqual(new Set([ids[0]]));
  await sender.sendDue(receiver.id);
  const before = receiver.heard.length;
  await server.tx((tx) => sendTestEvent(tx, receiver.id));
  await sender.sendDue(receiver.id);
  expect(receiver.heard.slice(before)).toMatchObject([{ type: 'webhook.test' }]);
  receiver.answer((response) => response.end());
  await passTime(receiver.id);
  const mark = receiver.heard.length;
  await work([receiver.id], () => expect(receiver.heard.length).toBeGreaterThanOrEqual(mark + 3));
  const received = receiver.heard.slice(mark);
  expect(received.map(({ data }) => data.transaction_id)).toEqual(ids);
});

it('a slow receiver delays no other, and another worker takes over from a killed one', async () => {
  const slow = await receive();
  const held: (() => void)[] = [];
  slow.answer((response) => void held.push(() => response.end()));
  const fast = await receive();
  const ids = await Promise.all(Array.from({ length: 20 }, happen));
  // Killed after it has claimed, before it could record the outcome.
  await eventually(async () => {
    await followFeed(worker);
    expect(await deliveriesOf(fast.id)).toHaveLength(20);
  });
  const claim = `UPDATE webhook_deliveries SET attempts = 1, due_at = now() + interval '1 hour' WHERE endpoint_id = $1 AND data->>'transaction_id' = $2`;
  await florin.admin.query(claim, [fast.id, ids[3]]);
  const ending = new AbortController();
  await ensureJob(worker, FOLLOW_JOB, 'all');
  const turn = () => runJobs(worker, webhookJobs(worker, openTestSender()), ending.signal);
  const running = [turn(), turn()];
  await eventually(() => expect(new Set(idsOf(fast))).toEqual(new Set(ids.filter((id) => id !== ids[3]))));
  expect(fast.heard).toHaveLength(19);
  await eventually(() => expect(held.length).toBeGreaterThan(0));
  // Received answers are recorded; then the claim of the killed worker expires.
  await eventually(async () =>
    expect((await deliveriesOf(fast.id)).filter(({ state }) => state === 'waiting')).toHaveLength(1),
  );
  await passTime(fast.id);
  await eventually(() => expect(fast.heard).toHaveLength(20));
  expect(new Set(idsOf(fast))).toEqual(new Set(ids));
  slow.answer((response) => response.end());
  for (const answer of held) answer();
  await eventually(() => expect(new Set(idsOf(slow))).toEqual(new Set(ids)));
  ending.abort();
  await Promise.all(running);
});

it('switches off an endpoint that fails for days, with the reason; switched on again it misses nothing', async () => {
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(502).end());
  const first = await happen();
  await work([receiver.id], () => expect(receiver.heard).toHaveLength(1));
  expect((await getEndpoint(server, receiver.id)).state).toBe('on');
  await florin.admin.query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '73 hours' WHERE endpoint_id = $1`,
    [receiver.id],
  );
  await passTime(receiver.id);
  await sender.sendDue(receiver.id);
  const off = await getEndpoint(server, receiver.id);
  expect(off).toMatchObject({ state: 'failed', failure: expect.stringMatching(/nothing has worked since .*502/) });
  expect(switchedOff).toContainEqual(`${receiver.id} ${off.failure}`);
  const second = await happen();
  await passTime(receiver.id);
  await followFeed(worker);
  expect(await sender.sendDue(receiver.id)).toBe(false);
  expect(receiver.heard).toHaveLength(2);
  receiver.answer((response) => response.end());
  const on = await server.tx((tx) => changeEndpoint(tx, ACTOR, receiver.id, { state: 'on' }, SANDBOX));
  expect(on).toMatchObject({ state: 'on', failure: null, failingSince: null });
  await work([receiver.id], () => expect(idsOf(receiver).slice(2).sort()).toEqual([first, second].sort()));
});

it('switches off a receiver as soon as it answers 410', async () => {
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(410).end());
  await happen();
  await work([receiver.id], async () =>
    expect(await getEndpoint(server, receiver.id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('410'),
    }),
  );
  const [entry] = await florin.admin.query<{ details: unknown }>(
    `SELECT details FROM audit_log WHERE action = 'webhook.switched_off' ORDER BY audit_id DESC LIMIT 1`,
  );
  expect(entry!.details).toMatchObject({ endpoint_id: receiver.id });
});

it('replays a time span from the feed, also to an endpoint that did not exist then', async () => {
  const since = new Date();
  const before = [await happen(), await happen()];
  const until = new Date(Date.now() + 1);
  await new Promise((done) => setTimeout(done, 5));
  const receiver = await receive({ types: ['deposit.complete'] });
  const after = await happen();
  await work([receiver.id], () => expect(idsOf(receiver)).toContain(after));
  receiver.heard.length = 0;
  await eventually(async () => {
    const replayed = await server.tx((tx) => replaySpan(tx, receiver.id, { since, until, cursor: null }));
    expect(replayed).toEqual({ events: 2, cursor: null });
  });
  await work([receiver.id], () => expect(receiver.heard.length).toBeGreaterThanOrEqual(2));
  expect(new Set(idsOf(receiver))).toEqual(new Set(before));
  const wrong = { since: until, until: since, cursor: null };
  await expect(server.tx((tx) => replaySpan(tx, receiver.id, wrong))).rejects.toMatchObject({ code: 'webhook.span' });
});

it('sends nothing more to a removed endpoint, and PostgreSQL enforces it', async () => {
  const receiver = await receive();
  await server.tx((tx) => removeEndpoint(tx, ACTOR, receiver.id));
  await happen();
  await followFeed(worker);
  expect(await sender.sendDue(receiver.id)).toBe(false);
  await expect(getEndpoint(server, receiver.id)).rejects.toMatchObject({ code: 'webhook.unknown' });
  await expect(
    florin.admin.query(`UPDATE webhook_endpoints SET removed_at = NULL, state = 'on' WHERE endpoint_id = $1`, [
      receiver.id,
    ]),
  ).rejects.toThrow(/stays removed/);
  await expect(
    worker.query(`UPDATE webhook_endpoints SET url = 'https://example.com' WHERE endpoint_id = $1`, [receiver.id]),
  ).rejects.toThrow(/permission denied/);
  expect(receiver.heard).toEqual([]);
});

it('requires operators to have the right role', async () => {
  const wish = { url: 'https://example.com/', description: '', types: ['*'], inOrder: false };
  await nameOperators(florin.databaseUrl, { ada: 'admin', sven: 'support' });
  const create = (db: Db) => db.tx((tx) => createEndpoint(tx, 'operator:x', wish, SANDBOX));
  await expect(asOperator(florin.databaseUrl, 'sven', create)).rejects.toThrow(/may not do this/);
  const { endpoint } = await asOperator(florin.databaseUrl, 'ada', create);
  const again = (db: Db) => db.tx((tx) => sendTestEvent(tx, endpoint.endpointId));
  await expect(asOperator(florin.databaseUrl, 'sven', again)).rejects.toThrow(/may not do this/);
  expect((await asOperator(florin.databaseUrl, 'ada', again)).state).toBe('waiting');
});
