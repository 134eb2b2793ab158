/**
 * Two PostgreSQL servers, a primary and its standby. Servers read at the standby, and never data older than an answer.
 * Payments are in progress when the primary dies: servers that know both hosts continue with the other one, and nothing
 * that was answered is lost or paid twice.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPeople, HOME, type Person } from '../../bench/support/ledgerWorld.ts';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { checkStandbys } from '../../server/src/bin/doctor/checkStandbys.ts';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { findLosses, readDurability } from '../../server/src/db/durability.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { openDedicatedConnection } from '../../server/src/db/openDedicatedConnection.ts';
import { openReads, type Reads } from '../../server/src/db/standbys/openReads.ts';
import { probeStandbys } from '../../server/src/http/ops/probes.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { findPayment } from '../../server/src/payments/read/findPayment.ts';
import { openHistory } from '../../server/src/payments/read/openHistory.ts';
import { openUserPayments, type UserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { startTwoNodes, type TwoNodes } from '../support/database/startTwoNodes.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/http/listen.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { howMany } from '../support/run/thorough.ts';

const PATIENCE_MS = 200_000;
const PAUSE_MS = 60;
const AMOUNT = 1_000n as Usdc;

let nodes: TwoNodes;
let people: Person[];
let db: Db;
/** With a server's login, which may not see whom a standby follows. */
let bareUrl: string;
let payments: UserPayments;
let reads: Reads;
/** How often a read went to the standby, and to the primary. */
const places = { standby: 0, primary: 0 };

beforeAll(async () => {
  nodes = await startTwoNodes(async (url) => {
    await migrate(url('florin'));
    const first = openDatabase(url('florin'));
    people = await createPeople(first, 20);
    await first.close();
    bareUrl = await createLogin(url('florin'), { name: 'bare', roles: ['server'] });
  });
  db = openDatabase(nodes.url('florin'), { patienceMs: PATIENCE_MS });
  payments = openUserPayments({
    databaseUrl: nodes.url('florin'),
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    giveUpAfterMs: PATIENCE_MS,
  });
  reads = openReads({
    databaseUrl: nodes.url('florin'),
    readUrl: nodes.standbyUrl('florin'),
    db,
    onRead: (place) => void places[place]++,
  });
});
afterAll(async () => {
  await reads?.close();
  await payments?.close();
  await db?.close();
  await nodes?.stop();
});

/** Returns its id when it is paid. */
async function pay(nth: number): Promise<string> {
  const [sender, receiver] = [people[nth]!, people[(nth + 7) % people.length]!];
  const paymentId = randomUUID();
  const receiverText = receiver.username;
  const command = { paymentId, keyed: true, senderId: sender.userId, amount: AMOUNT, receiver: receiverText };
  const { result } = await payments.submit({ ...command, receiverText });
  expect(result).toMatchObject({ outcome: 'paid' });
  return paymentId;
}

const find = (paymentId: string) => reads.read((at) => findPayment(at, paymentId));

/** Until the standby is used (again). */
const useStandby = (paymentId: string) =>
  eventually(async () => {
    const before = places.standby;
    expect(await find(paymentId)).toBeDefined();
    expect(places.standby).toBe(before + 1);
  });

it('reads at the standby, and on the primary what the standby does not show yet', async () => {
  await useStandby(await pay(0));
  await nodes.pauseReplay();
  const unseen = await pay(1);
  const before = { ...places };
  expect(await find(unseen)).toMatchObject({ paymentId: unseen });
  expect(places).toEqual({ ...before, primary: before.primary + 1 });
  await nodes.resumeReplay();
  await useStandby(unseen);
});

it('never reads data older than an answer, whatever the standby does', async () => {
  // Like another process: it has paid nothing, and knows no earlier payment.
  const history = openHistory({ databaseUrl: nodes.url('florin'), db, openReadConnection: reads.openConnection });
  const connection = reads.openConnection({ applicationName: 'test' });
  const before = places.standby;
  // Both are polled; on a slow machine the standby may lag for long.
  const isEnough = (round: number) =>
    round >= howMany(12, 30) && (places.standby >= before + howMany(12, 20) || round >= 300);
  let isOver = false;
  const switching = (async () => {
    while (!isOver) {
      await nodes.pauseReplay();
      await sleep(Math.random() * 20);
      await nodes.resumeReplay();
      await sleep(Math.random() * 40);
    }
  })();
  const payAndRead = async (nth: number) => {
    for (let round = 0; !isEnough(round); round++) {
      const paymentId = await pay(nth);
      const [payment, page, rows] = await Promise.all([
        find(paymentId),
        history.read({ name: people[nth]!.username, limit: 50 }),
        connection.run(COUNT, [paymentId]),
      ]);
      expect(payment?.paymentId).toBe(paymentId);
      expect(page!.payments.map((one) => one.paymentId)).toContain(paymentId);
      expect(rows).toEqual([['1']]);
    }
  };
  await Promise.all([0, 1, 2, 3].map(payAndRead)).finally(() => {
    isOver = true;
  });
  await switching;
  expect(places.standby).toBeGreaterThan(before);
  await history.close();
  await connection.close();
});

const COUNT = { name: 'count', text: 'SELECT count(*) FROM transfers WHERE transfer_id = $1' };

it.runIf(process.platform === 'linux')('reads on the primary while the standby does not answer', async () => {
  const thaw = nodes.freezeStandby();
  try {
    const before = places.standby;
    const paymentId = await pay(2);
    expect(await find(paymentId)).toBeDefined();
    expect(await find(paymentId)).toBeDefined();
    expect(places.standby).toBe(before);
    await eventually(async () =>
      expect(await probeStandbys(reads).run()).toMatchObject([
        { status: 'down', hosts: [{ standing: 'away' }], says: expect.stringContaining('does not answer') },
      ]),
    );
  } finally {
    thaw();
  }
  await useStandby(await pay(2));
  await eventually(async () => expect(await probeStandbys(reads).run()).toMatchObject([{ status: 'ok' }]));
});

it('uses no standby that it cannot verify', async () => {
  const expectStanding = async (databaseUrl: string, readUrl: string, standing: string) => {
    const own = openReads({ databaseUrl, readUrl, db });
    await eventually(async () => expect(await own.inspect()).toMatchObject([{ standing }])).finally(() => own.close());
  };
  const { port } = new URL(nodes.standbyUrl('florin'));
  const bareStandby = Object.assign(new URL(bareUrl), { port }).href;
  await expectStanding(nodes.url('florin'), bareStandby, 'unseen');
  await eventually(async () =>
    expect(await checkStandbys(nodes.url('florin'), bareStandby)).toMatchObject([
      { level: 'warning', fix: expect.stringContaining('GRANT pg_read_all_stats') },
    ]),
  );
  await expectStanding(nodes.url('florin'), nodes.standbyUrl('postgres'), 'elsewhere');
  await expectStanding(bareUrl, nodes.standbyUrl('florin'), 'replayed');
});

it('discards a connection to a standby', async () => {
  const connection = openDedicatedConnection(nodes.standbyUrl('florin'));
  const standby = openDatabase(nodes.standbyUrl('florin'));
  const looking = openDatabase(nodes.standbyUrl('florin'), { mayBeStandby: true });
  try {
    await expect(connection.run(COUNT, [randomUUID()])).rejects.toMatchObject({ code: 'service.unavailable' });
    await expect(standby.query('SELECT 1')).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(await looking.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    await Promise.all([connection.close(), standby.close(), looking.close()]);
  }
});

const losses = async () => findLosses(await readDurability(db)).join();

it('reports that a failover could lose payments, until the standby confirms commits', async () => {
  await eventually(async () => expect(await losses()).toContain('its standbys confirm no commits'));
  await nodes.confirmCommits();
  await eventually(async () => {
    expect(await readDurability(db)).toMatchObject({ standbys: 1, synchronous_standbys: 1 });
    expect(await losses()).not.toContain('standbys');
  });
});

it('continues with the other host when the primary dies, and loses and repeats nothing', async () => {
  const [before] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  const answered: string[] = [];
  let isOver = false;
  const payOn = async (nth: number) => {
    // Not as fast as they can: the end is checked payment by payment.
    for (; !isOver; await sleep(PAUSE_MS)) answered.push(await pay(nth));
  };
  const paying = Promise.all(people.map((_, nth) => payOn(nth)));
  const answers = (more: number) => {
    const wanted = answered.length + more;
    return eventually(() => expect(answered.length).toBeGreaterThan(wanted));
  };
  await answers(200);
  await nodes.killPrimary();
  const silent = createServer();
  const beside = openDatabase(nodes.url('florin').replace('@', `@127.0.0.1:${await listen(silent)},`), {
    connectTimeoutMs: 60_000,
  });
  const found = beside.query('SELECT 1 AS one');
  await sleep(500);
  await nodes.promoteStandby();
  await answers(200);
  // Although one of three hosts does not answer: no call waits for it.
  expect(await found).toEqual([{ one: 1 }]);
  await beside.close();
  silent.close();
  isOver = true;
  await paying;

  const [kept] = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM transfers WHERE kind = 'user' AND transfer_id = ANY ($1)`,
    [answered],
  );
  expect(kept!.count).toBe(BigInt(answered.length));
  // Nothing else was paid: callers without an answer repeated until they had one.
  const [all] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
  expect(all!.count).toBe(before!.count + kept!.count);
  expect((await checkBooks(db)).faults).toEqual([]);
  expect(await judgeEndOf({ databaseUrl: nodes.url('florin') })).toEqual([]);
  await db.tx((tx) => tx.query('CREATE TABLE written_after (n int)'));

  // The former standby no longer is one: it is read like any primary.
  const used = places.standby;
  expect(await find(answered.at(-1)!)).toBeDefined();
  expect(places.standby).toBe(used);
  await eventually(async () => expect(await reads.inspect()).toMatchObject([{ standing: 'primary' }]));
});

it('finds the newer of two hosts that claim to be the primary', async () => {
  await nodes.wakePrimary();
  const old = openDatabase(nodes.formerUrl('florin'));
  const both = openDatabase(nodes.url('florin'), { connectTimeoutMs: PATIENCE_MS });
  try {
    const isNew = `SELECT to_regclass('written_after') IS NOT NULL AS is_new`;
    expect(await old.query(isNew)).toEqual([{ is_new: false }]);
    expect(await both.query(isNew)).toEqual([{ is_new: true }]);
  } finally {
    await Promise.all([old.close(), both.close()]);
  }
});
