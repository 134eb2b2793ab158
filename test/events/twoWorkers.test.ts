/**
 * Two workers with the deliveries of one endpoint: once one worker has taken a delivery over, the other no longer
 * changes it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import {
  type Attempt,
  claimDue,
  claimInOrder,
  giveBack,
  recordAttempts,
} from '../../server/src/events/webhooks/attempts.ts';
import { listDeliveries, replaySpan } from '../../server/src/events/webhooks/deliveries.ts';
import { createEndpoint, rotateSecret } from '../../server/src/events/webhooks/endpoints.ts';
import { followFeed } from '../../server/src/events/webhooks/followFeed.ts';
import { type Claimed, findReceiver, type Receiver } from '../../server/src/events/webhooks/receiver.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { untilBlocked } from '../support/database/untilBlocked.ts';
import { PATIENT, urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const ACTOR = 'key:test';
let florin: PaymentsServer;
let worker: Db;
let server: Db;
let alice: Person;
beforeAll(async () => {
  florin = await startPayments();
  worker = openDatabase(urlAs(florin.databaseUrl, 'worker'), { ...PATIENT, maxConnections: 4 });
  server = openDatabase(urlAs(florin.databaseUrl, 'server'), { ...PATIENT, maxConnections: 2 });
  alice = await createPerson(florin.db, 'alice');
});
afterAll(async () => {
  await Promise.all([worker.close(), server.close()]);
  await florin.stop();
});

async function happen(): Promise<void> {
  const from = { userId: alice.userId, blockchain: HOME, fromAddress: `0x${'f'.repeat(40)}` };
  await florin.db.tx((tx) => recordDeposit(tx, { ...from, depositId: randomUUID(), amount: parseUsdc('1') }));
}

const wish = { url: 'http://127.0.0.1:1/hook', description: '', types: ['deposit.*'], inOrder: false };
const register = async (inOrder = false) =>
  (await server.tx((tx) => createEndpoint(tx, ACTOR, { ...wish, inOrder }, { allowsLoopback: true }))).endpoint
    .endpointId;

/** An endpoint with this many due deliveries. */
async function receive(events: number, inOrder = false): Promise<Receiver> {
  await settleFeed(florin.db);
  const endpointId = await register(inOrder);
  for (let i = 0; i < events; i++) await happen();
  await eventually(async () => {
    await followFeed(worker);
    expect((await listDeliveries(server, { endpointId, limit: 100 })).items).toHaveLength(events);
  });
  return (await findReceiver(worker, endpointId))!;
}

const attempt = ({ eventId, attempts, isTest }: Claimed, more: Partial<Attempt>): Attempt => ({
  ...{ eventId, attempts, isTest, isTaken: false, status: 500, answer: 'no', fault: null, tookMs: 1, pauseMs: 1_000 },
  ...more,
});
const readDelivery = async ({ endpointId }: Receiver) => {
  const [found] = (await listDeliveries(server, { endpointId, limit: 1 })).items;
  const { state, attempts, status, dueAt } = found!;
  return { state, attempts, status, dueAt };
};

describe('a worker that was too slow', () => {
  const deeds: Readonly<Record<string, (receiver: Receiver, claimed: Claimed) => Promise<unknown>>> = {
    'was answered': (receiver, one) => recordAttempts(worker, receiver, [attempt(one, { isTaken: true, status: 200 })]),
    'was refused': (receiver, one) => recordAttempts(worker, receiver, [attempt(one, {})]),
    'gives up': (receiver, one) => recordAttempts(worker, receiver, [attempt(one, { pauseMs: undefined })]),
    'has not sent it': ({ endpointId }, one) => giveBack(worker, endpointId, [one]),
  };

  it.each(Object.entries(deeds))(
    'and %s changes nothing of a delivery that another has taken over',
    async (_, deed) => {
      const receiver = await receive(1);
      const [late] = await claimDue(worker, receiver, 1);
      await florin.admin.query('UPDATE webhook_deliveries SET due_at = now() WHERE endpoint_id = $1', [
        receiver.endpointId,
      ]);
      const [mine] = await claimDue(worker, receiver, 1);
      expect([late!.attempts, mine!.attempts]).toEqual([1, 2]);
      const before = await readDelivery(receiver);
      await deed(receiver, late!);
      expect(await readDelivery(receiver)).toEqual(before);
      await recordAttempts(worker, receiver, [attempt(mine!, { isTaken: true, status: 204 })]);
      expect(await readDelivery(receiver)).toEqual({ state: 'delivered', attempts: 2, status: 204, dueAt: null });
      // A repeated answer of the same attempt does not change a delivery that has ended.
      await deed(receiver, mine!);
      expect(await readDelivery(receiver)).toMatchObject({ state: 'delivered', attempts: 2, status: 204 });
    },
  );
});

it('with ordered delivery, a second worker waits for the first, and takes none of its deliveries', async () => {
  const receiver = await receive(3, true);
  let second: Promise<Claimed[]> = Promise.resolve([]);
  await worker.tx(async (tx) => {
    const { endpointId } = receiver;
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    expect(await tx.query('SELECT FROM claim_in_order($1, 2, 600000)', [endpointId])).toHaveLength(2);
    second = claimInOrder(worker, receiver, 2);
    await Promise.race([second, untilBlocked(florin.admin)]);
  });
  expect(await second).toEqual([]);
});

it('each rotation expires the previous secret, and leaves earlier ones their time', async () => {
  const endpointId = await register();
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const ends = [inHours(1), inHours(2), inHours(3)];
  for (const at of ends) await server.tx((tx) => rotateSecret(tx, ACTOR, endpointId, at));
  const rows = await server.query<{ ends_at: Date | null }>(
    'SELECT ends_at FROM webhook_secrets WHERE endpoint_id = $1 ORDER BY number',
    [endpointId],
  );
  expect(rows.map((row) => row.ends_at)).toEqual([...ends, null]);
});

it('a replay sends events from its beginning to before its end, to the millisecond', async () => {
  await receive(4);
  await settleFeed(florin.db);
  const events = await florin.db.query<{ at: Date }>(
    `SELECT at FROM feed WHERE type = 'deposit.complete' ORDER BY seq`,
  );
  const times = [...new Set(events.map(({ at }) => at.getTime()))].sort((a, b) => a - b);
  expect(times.length).toBeGreaterThan(2);
  const endpointId = await register();
  const around = times.slice(-2).flatMap((time) => [time - 1, time, time + 1]);
  for (const since of around)
    for (const until of around.filter((time) => time > since)) {
      const wanted = events.filter(({ at }) => at.getTime() >= since && at.getTime() < until);
      const span = { since: new Date(since), until: new Date(until), cursor: null };
      const replayed = await server.tx((tx) => replaySpan(tx, endpointId, span));
      expect([since, until, replayed.events]).toEqual([since, until, wanted.length]);
    }
});
