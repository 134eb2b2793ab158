/**
 * Does paying get slower as the ledger grows? Payments per second, PostgreSQL's CPU time, and bytes and whole pages in its
 * log (WAL) per payment, with 1 million and with 30 million transfers: the same batches as in production, ids made from keys,
 * 100,000 people. Each ledger has its own PostgreSQL server and is measured over at least two checkpoints that
 * PostgreSQL made by itself: after each one, the first change of a page logs the whole page. They take turns of ten
 * seconds, so that other load on the machine affects all alike.
 *
 * `FLORIN_BENCH_BUFFERS=1GB,4GB` repeats the measurement for each size of `shared_buffers`.
 */
import type { Usdc } from '../server/src/core/money.ts';
import { openUserPayments, type UserPayments } from '../server/src/payments/users/openUserPayments.ts';
import { finish } from './support/finish.ts';
import { type Cluster, prepareClusters, type Size } from './support/growth/growthCluster.ts';
import { nextKeyedId } from './support/growth/growthRows.ts';
import { HOME, type Person, proveBooks, round } from './support/ledgerWorld.ts';
import { isShort, sized } from './support/short.ts';

/** Can be smaller during development (`FLORIN_BENCH_ROWS=300000,6000000`); published figures need these. */
const SIZES = process.env.FLORIN_BENCH_ROWS?.split(',').map(Number) ?? sized([1_000_000, 30_000_000], [1_000, 3_000]);
const PEOPLE = sized(100_000, 100);
const CALLERS = sized(256, 16);
const TURN_SECONDS = sized(10, 0.5);
const CHECKPOINTS = Number(process.env.FLORIN_BENCH_CHECKPOINTS ?? sized(2, 0));
const BUFFERS = (process.env.FLORIN_BENCH_BUFFERS ?? sized('1GB', '128MB')).split(',');
const AMOUNT = 1_000n as Usdc;

/** A server with a ledger. */
interface Ledger {
  readonly size: Size;
  readonly cluster: Cluster;
  readonly people: readonly Person[];
  readonly payments: UserPayments;
  stop(): Promise<void>;
}

/** One line of the result. */
interface Measured {
  readonly ledger: Ledger;
  paid: number;
  seconds: number;
  cpuSeconds: number;
  walBytes: number;
  fullPages: number;
}

interface Counters {
  readonly walBytes: number;
  readonly fullPages: number;
  readonly checkpoints: number;
}

export default async function benchGrowth(): Promise<void> {
  const clusters = prepareClusters();
  const figures = [];
  try {
    for (const buffers of BUFFERS) figures.push(await measureAll(buffers, clusters));
  } finally {
    clusters.remove();
  }
  finish('growth', { rows: SIZES, ...figures.at(-1)!, runs: figures });
}

async function measureAll(buffers: string, clusters: ReturnType<typeof prepareClusters>) {
  // The ledgers take turns, so each gets a fraction of the time: the amount written, not the clock, starts its checkpoints.
  const settings = { shared_buffers: buffers, max_wal_size: '4GB', checkpoint_timeout: '1h' };
  const ledgers: Ledger[] = [];
  try {
    const lines: Measured[] = [];
    for (const rows of SIZES) {
      const size = { rows, people: PEOPLE };
      const ledger = await openLedger(size, await clusters.open(size, settings));
      ledgers.push(ledger);
      lines.push({ ledger, paid: 0, seconds: 0, cpuSeconds: 0, walBytes: 0, fullPages: 0 });
    }
    // Fills caches and plans.
    if (!isShort) for (const line of lines) await pay(line, TURN_SECONDS);
    for (const { cluster } of ledgers) await cluster.db.query('CHECKPOINT');
    const before = await Promise.all(ledgers.map(readCheckpoints));
    const hasMeasured = async () =>
      (await Promise.all(ledgers.map(readCheckpoints))).every((now, i) => now - before[i]! >= CHECKPOINTS);
    // All of them in every round, also those that have seen their checkpoints: the machine changes its speed meanwhile.
    let order = lines;
    do {
      for (const line of order) await measure(line);
      order = order.toReversed();
    } while (!(await hasMeasured()));
    const checkpoints = (await Promise.all(ledgers.map(readCheckpoints))).map((now, i) => now - before[i]!);
    await proveBooks(ledgers[0]!.cluster.db);
    printTable(lines, (ledger) => checkpoints[ledgers.indexOf(ledger)]!);
    return { shared_buffers: buffers, ...compare(lines), checkpoints };
  } finally {
    for (const ledger of ledgers) await ledger.stop();
  }
}

async function openLedger(size: Size, cluster: Cluster): Promise<Ledger> {
  const { db, databaseUrl } = cluster;
  await printSettings(cluster, size);
  const payments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' });
  return {
    size,
    cluster,
    payments,
    people: await db.query<Person>('SELECT user_id AS "userId", username FROM usernames ORDER BY username'),
    async stop() {
      await payments.close();
      await cluster.stop();
    },
  };
}

const perSecond = ({ paid, seconds }: Measured): number => paid / seconds;
const walPerPayment = ({ walBytes, paid }: Measured): number => walBytes / paid;

function printTable(lines: readonly Measured[], checkpointsOf: (ledger: Ledger) => number): void {
  console.log('   transfers  payments/s  µs PostgreSQL  log bytes  full pages  checkpoints    measured');
  for (const line of lines) {
    const { ledger, paid, cpuSeconds, fullPages } = line;
    const cells = [
      ledger.size.rows,
      Math.round(perSecond(line)),
      round((cpuSeconds / paid) * 1e6, 1),
      Math.round(walPerPayment(line)),
      round(fullPages / paid, 3),
      checkpointsOf(ledger),
      paid,
    ];
    const widths = [12, 12, 15, 11, 12, 13, 12];
    console.log(cells.map((cell, i) => String(cell).padStart(widths[i]!)).join(''));
  }
}

/** The largest ledger against the smallest. */
function compare(lines: readonly Measured[]): Record<string, number> {
  const [small, large] = [lines[0]!, lines.at(-1)!];
  return {
    ratio: round(perSecond(large) / perSecond(small), 3),
    wal_ratio: round(walPerPayment(large) / walPerPayment(small)),
  };
}

async function printSettings({ db }: Cluster, { rows: size }: Size): Promise<void> {
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
  const [found] = await db.query<{ rows: bigint; bytes: string; ids: string }>(
    `SELECT (SELECT count(*) FROM transfers) AS rows, pg_size_pretty(pg_total_relation_size('transfers')) AS bytes,
            string_agg(indexrelname || ' ' || pg_size_pretty(pg_relation_size(indexrelid)), ', ') AS ids
       FROM pg_stat_user_indexes WHERE relname = 'transfers' AND indexrelname = 'transfers_pkey'`,
  );
  console.log(`PostgreSQL: ${rows.map(({ name, is }) => `${name}=${is}`).join(' ')}`);
  console.log(
    `${size}: ${found!.rows} transfers, ${found!.bytes} with their indexes (${found!.ids}), ${PEOPLE} people`,
  );
}

async function measure(line: Measured): Promise<void> {
  const { ledger } = line;
  const [before, cpuBefore, startMs] = [
    await readCounters(ledger.cluster),
    ledger.cluster.readCpuSeconds(),
    performance.now(),
  ];
  const paid = await pay(line, TURN_SECONDS);
  const seconds = (performance.now() - startMs) / 1_000;
  line.paid += paid;
  line.seconds += seconds;
  line.cpuSeconds += ledger.cluster.readCpuSeconds() - cpuBefore;
  const after = await readCounters(ledger.cluster);
  line.walBytes += after.walBytes - before.walBytes;
  line.fullPages += after.fullPages - before.fullPages;
}

const readCheckpoints = async ({ cluster }: Ledger): Promise<number> => (await readCounters(cluster)).checkpoints;

async function readCounters({ db }: Cluster): Promise<Counters> {
  const [row] = await db.query<{ wal: number; pages: number; checkpoints: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal, wal_fpi::float8 AS pages,
            num_done::int AS checkpoints
       FROM pg_stat_checkpointer, pg_stat_wal`,
  );
  return { walBytes: row!.wal, fullPages: row!.pages, checkpoints: row!.checkpoints };
}

/** Each caller waits for its answer before it pays again. Answers how many payments were made. */
async function pay({ ledger }: Measured, seconds: number): Promise<number> {
  const { people, payments } = ledger;
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
