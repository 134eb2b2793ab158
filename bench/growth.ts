/**
 * Does paying get slower as the ledger grows? Payments per second, and bytes of PostgreSQL's log per payment, with
 * 1 million and with 30 million transfers: the same batches as in production, ids made from keys, 100,000 people. Each
 * size has a PostgreSQL server of its own, with the settings that every benchmark here has, and is measured over at least
 * two checkpoints that PostgreSQL made by itself: after each one, the first change of a page logs the whole page. The
 * sizes take turns of ten seconds, so that other load on the machine affects both alike.
 */
import type { Usdc } from '../server/src/core/money.ts';
import type { Db } from '../server/src/db/database.ts';
import { renewIds } from '../server/src/db/ids/renewIds.ts';
import { openUserPayments, type UserPayments } from '../server/src/payments/users/openUserPayments.ts';
import { finish } from './support/finish.ts';
import { fillLedger, nextKeyedId } from './support/growthRows.ts';
import { createPeople, HOME, type Person, proveBooks, round } from './support/ledgerWorld.ts';
import { isShort, sized } from './support/short.ts';
import { startBenchPostgres } from './support/startBenchPostgres.ts';

/** Can be made smaller while developing (`FLORIN_BENCH_ROWS=300000,6000000`); published figures need these. */
const SIZES = process.env.FLORIN_BENCH_ROWS?.split(',').map(Number) ?? sized([1_000_000, 30_000_000], [1_000, 3_000]);
/**
 * How many ids are in the index that is written, in every ledger, so that they differ in old rows alone. The benchmark adds
 * three to five million: it ends where `renewIds`, run every night, makes that index small again (docs/operating/growth.md).
 */
const RECENT = SIZES[0]!;
const PEOPLE = sized(100_000, 100);
const CALLERS = sized(256, 16);
const TURN_SECONDS = sized(10, 0.5);
const CHECKPOINTS = sized(2, 0);
const AMOUNT = 1_000n as Usdc;

interface Ledger {
  readonly size: number;
  readonly db: Db;
  readonly people: readonly Person[];
  readonly payments: UserPayments;
  readonly checkpointsBefore: number;
  checkpoints: number;
  paid: number;
  seconds: number;
  walBytes: number;
  stop(): Promise<void>;
}

export default async function benchGrowth(): Promise<void> {
  const ledgers: Ledger[] = [];
  try {
    for (const size of SIZES) ledgers.push(await openLedger(size));
    // Fills caches and plans.
    if (!isShort) for (const ledger of ledgers) await pay(ledger, TURN_SECONDS / 2);
    const rounds: number[] = [];
    // All of them in every round, also those that have seen their checkpoints: the machine changes its speed meanwhile.
    do {
      const rates: number[] = [];
      for (const ledger of ledgers) rates.push(await measure(ledger));
      rounds.push(rates.at(-1)! / rates[0]!);
    } while (ledgers.some((ledger) => !isMeasured(ledger)));
    console.log(`Of each round: ${rounds.map((ratio) => ratio.toFixed(2)).join(' ')}`);
    await proveBooks(ledgers[0]!.db);
    console.log('transfers       payments/s   log bytes per payment   checkpoints   payments measured');
    for (const ledger of ledgers) {
      const { size, checkpoints, paid } = ledger;
      const cells = [Math.round(perSecond(ledger)), Math.round(walPerPayment(ledger)), checkpoints, paid];
      console.log(
        String(size).padEnd(14) + cells.map((cell, i) => String(cell).padStart([12, 24, 14, 20][i]!)).join(''),
      );
    }
    const [small, large] = [ledgers[0]!, ledgers.at(-1)!];
    finish('growth', {
      rows: SIZES,
      ratio: round(perSecond(large) / perSecond(small), 3),
      wal_ratio: round(walPerPayment(large) / walPerPayment(small)),
    });
  } finally {
    for (const ledger of ledgers) await ledger.stop();
  }
}

const perSecond = ({ paid, seconds }: Ledger): number => paid / seconds;
const walPerPayment = ({ walBytes, paid }: Ledger): number => walBytes / paid;
const isMeasured = ({ checkpoints }: Ledger): boolean => checkpoints >= CHECKPOINTS;

async function openLedger(size: number): Promise<Ledger> {
  const postgres = await startBenchPostgres();
  const { databaseUrl, db } = await postgres.createDatabase('florin');
  const people = await createPeople(db, PEOPLE);
  await fillLedger(db, size, RECENT);
  await renewIds(databaseUrl);
  await db.query('VACUUM ANALYZE');
  await printSettings(db, size);
  await db.query('CHECKPOINT');
  const payments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME });
  return {
    size,
    db,
    people,
    payments,
    checkpointsBefore: (await readCounters(db)).checkpoints,
    checkpoints: 0,
    paid: 0,
    seconds: 0,
    walBytes: 0,
    async stop() {
      await payments.close();
      await postgres.stop();
    },
  };
}

async function printSettings(db: Db, size: number): Promise<void> {
  const names = [
    'server_version',
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'wal_compression',
    'shared_buffers',
    'max_wal_size',
    'checkpoint_timeout',
    'checkpoint_completion_target',
  ];
  const rows = await db.query<{ name: string; is: string }>(
    'SELECT name, current_setting(name) AS is FROM unnest($1::text[]) AS name',
    [names],
  );
  const [found] = await db.query<{ rows: bigint; bytes: string }>(
    `SELECT count(*) AS rows, pg_size_pretty(pg_total_relation_size('transfers')) AS bytes FROM transfers`,
  );
  console.log(`PostgreSQL: ${rows.map(({ name, is }) => `${name}=${is}`).join(' ')}`);
  console.log(`${size}: ${found!.rows} transfers, ${found!.bytes} with their indexes, ${PEOPLE} people`);
}

/** Answers payments per second of this turn. */
async function measure(ledger: Ledger): Promise<number> {
  const before = await readCounters(ledger.db);
  const startMs = performance.now();
  const paid = await pay(ledger, TURN_SECONDS);
  const seconds = (performance.now() - startMs) / 1_000;
  ledger.paid += paid;
  ledger.seconds += seconds;
  const after = await readCounters(ledger.db);
  ledger.walBytes += after.walBytes - before.walBytes;
  ledger.checkpoints = after.checkpoints - ledger.checkpointsBefore;
  return paid / seconds;
}

async function readCounters(db: Db): Promise<{ walBytes: number; checkpoints: number }> {
  const [row] = await db.query<{ wal: number; checkpoints: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal, num_done::int AS checkpoints
       FROM pg_stat_checkpointer`,
  );
  return { walBytes: row!.wal, checkpoints: row!.checkpoints };
}

/** Each caller waits for its answer before it pays again. Answers how many payments were made. */
async function pay({ people, payments }: Ledger, seconds: number): Promise<number> {
  const pick = () => people[Math.floor(Math.random() * people.length)]!;
  const endMs = performance.now() + seconds * 1_000;
  let paid = 0;
  const call = async () => {
    while (performance.now() < endMs) {
      const sender = pick();
      let receiver = pick();
      while (receiver === sender) receiver = pick();
      const { username } = receiver;
      const command = { paymentId: nextKeyedId(sender.userId), keyed: true, senderId: sender.userId, amount: AMOUNT };
      const { result } = await payments.submit({ ...command, receiver: username, receiverText: username });
      if (result === 'mismatch' || result.outcome === 'refused') throw new Error(`refused: ${JSON.stringify(result)}`);
      paid++;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return paid;
}
