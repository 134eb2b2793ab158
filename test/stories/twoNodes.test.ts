/**
 * Two PostgreSQL servers, a primary and its standby, and payments under way when the primary dies: servers that know both
 * hosts go on with the other one, and nothing that was answered is lost or paid twice.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPeople, HOME, type Person } from '../../bench/support/ledgerWorld.ts';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { findLosses, readDurability } from '../../server/src/db/durability.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { startTwoNodes, type TwoNodes } from '../support/database/startTwoNodes.ts';
import { eventually } from '../support/eventually.ts';

const PATIENCE_MS = 200_000;
const AMOUNT = 1_000n as Usdc;

let nodes: TwoNodes;
let people: Person[];
let db: Db;

beforeAll(async () => {
  nodes = await startTwoNodes(async (url) => {
    await migrate(url('florin'));
    const first = openDatabase(url('florin'));
    people = await createPeople(first, 20);
    await first.close();
  });
  db = openDatabase(nodes.url('florin'), { patienceMs: PATIENCE_MS });
});
afterAll(async () => {
  await db?.close();
  await nodes?.stop();
});

const losses = async () => findLosses(await readDurability(db)).join();

it('says that a failover could lose payments, until the standby confirms commits', async () => {
  await eventually(async () => expect(await losses()).toContain('its standbys confirm no commits'));
  await nodes.confirmCommits();
  await eventually(async () => {
    expect(await readDurability(db)).toMatchObject({ standbys: 1, synchronous_standbys: 1 });
    expect(await losses()).not.toContain('standbys');
  });
});

it('goes on with the other host when the primary dies, and loses and repeats nothing', async () => {
  const payments = openUserPayments({
    databaseUrl: nodes.url('florin'),
    db,
    homeBlockchain: HOME,
    giveUpAfterMs: PATIENCE_MS,
  });
  const answered: string[] = [];
  let isOver = false;
  const pay = async (nth: number) => {
    while (!isOver) {
      const [sender, receiver] = [people[nth]!, people[(nth + 7) % people.length]!];
      const paymentId = randomUUID();
      const receiverText = receiver.username;
      const command = { paymentId, keyed: true, senderId: sender.userId, amount: AMOUNT, receiver: receiverText };
      const { result } = await payments.submit({ ...command, receiverText });
      expect(result).toMatchObject({ outcome: 'paid' });
      answered.push(paymentId);
    }
  };
  const paying = Promise.all(people.map((_, nth) => pay(nth)));
  const answers = (more: number) => {
    const wanted = answered.length + more;
    return eventually(() => expect(answered.length).toBeGreaterThan(wanted));
  };
  await answers(200);
  await nodes.killPrimary();
  await nodes.promoteStandby();
  await answers(200);
  isOver = true;
  await paying;
  await payments.close();

  const [found] = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM transfers WHERE kind = 'user' AND transfer_id = ANY ($1)`,
    [answered],
  );
  expect(found!.count).toBe(BigInt(answered.length));
  // Nothing else was paid: whoever had no answer repeated until there was one.
  const [all] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  expect(all!.count).toBe(found!.count);
  expect((await checkBooks(db)).faults).toEqual([]);
  await db.tx((tx) => tx.query('CREATE TABLE written_after (n int)'));
});
