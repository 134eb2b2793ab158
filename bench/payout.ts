/**
 * A payout of 10,000 rows between people: from its confirmation to the last row, while a client reads the whole feed,
 * against pgbench just before and just after it, with 8 clients and with the best of 8, 32 and 64. Ten files; the median counts. Everyone gets a row of each file, in
 * another order each time; the payer is a person, whose limits and whose key's limits are counted.
 */
import type { Usdc } from '../server/src/core/money.ts';
import { ANY_WALLET } from '../server/src/customers/keys/keyRules.ts';
import { createServiceKey } from '../server/src/customers/keys/serviceKeys.ts';
import { type Db, openDatabase } from '../server/src/db/database.ts';
import { findLast } from '../server/src/events/feedPosition.ts';
import { readFeed } from '../server/src/events/readFeed.ts';
import { runJobs } from '../server/src/jobs/runJobs.ts';
import { openAsset, setHomeAsset } from '../server/src/ledger/accounts.ts';
import { checkPayout } from '../server/src/payments/payouts/checkPayout.ts';
import { confirmPayout } from '../server/src/payments/payouts/decidePayout.ts';
import { parseCsvRows } from '../server/src/payments/payouts/parseRows.ts';
import { getPayout } from '../server/src/payments/payouts/payout.ts';
import { PAYOUT_JOB, runPayouts } from '../server/src/payments/payouts/runPayouts.ts';
import { finish } from './support/finish.ts';
import {
  createPeople,
  HOME,
  median,
  openWorld,
  type Person,
  proveBooks,
  round,
  SECONDS,
} from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';
import { measureCommitMs } from './support/yardsticks/commitLatency.ts';
import { readCpuSeconds } from './support/yardsticks/cpuSeconds.ts';
import { type Cpu, measureCpu } from './support/yardsticks/measureCpu.ts';
import { meanRates, type PgbenchRates } from './support/yardsticks/pgbench.ts';

const ROWS = sized(10_000, 100);
/** Fewer during development; published figures need ten. */
const FILES = sized(SECONDS < 30 ? 3 : 10, 1);
const LIMIT = 1_000_000_000_000_000n;

/** There are no addresses in these files. */
const places = {
  parse: () => ({ address: '' }),
  askToken: async () => ({ isPaused: false, blacklisted: [] }),
};

export default async function benchPayout(): Promise<void> {
  const world = await openWorld();
  const stopping = new AbortController();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    await setHomeAsset(db, await openAsset(db, HOME, 'USDC'));
    const [payer, ...people] = await createPeople(db, ROWS + 1);
    const limits = { payment: LIMIT, day: LIMIT, month: LIMIT };
    const rules = { ...ANY_WALLET, people: limits };
    const { keyId } = await db.tx((tx) => createServiceKey(tx, { name: 'bench', scopes: ['payouts'], rules }));
    const workerDb = openDatabase(databaseUrl);
    const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    const app = { db: workerDb, sendRules, places };
    const job = { kind: PAYOUT_JOB, batch: 4, width: 2, run: (ids: readonly string[]) => runPayouts(app, ids) };
    const running = runJobs(workerDb, [job], stopping.signal);
    const reader = readOn(openDatabase(databaseUrl), stopping.signal);
    const seconds = sized(Math.max(2, Math.ceil(SECONDS / FILES)), 1);
    const pay = (nth: number) => payFile(db, { keyId, payer: payer!, people, nth });

    await pay(0);
    const commitMs = await measureCommitMs(world.folder);
    const parties = { node: () => readCpuSeconds(process.pid), postgres: world.readCpuSeconds };
    const rounds: Round[] = [];
    let before = await world.pgbench.compare(seconds);
    for (let nth = 1; nth <= FILES; nth++) {
      const { result, cpu } = await measureCpu(
        parties,
        () => pay(nth),
        () => ROWS,
      );
      const after = await world.pgbench.compare(seconds);
      rounds.push({ perSecond: ROWS / result, cpu, pgbench: meanRates(before, after) });
      before = after;
    }
    stopping.abort();
    const events = await reader;
    await running;
    await workerDb.close();
    if (events !== ROWS * (FILES + 1))
      throw new Error(`${ROWS * (FILES + 1)} rows were paid and ${events} events read`);
    await proveBooks(db);
    report(rounds, commitMs);
  } finally {
    stopping.abort();
    await world.stop();
  }
}

interface Round {
  readonly perSecond: number;
  readonly cpu: Cpu;
  /** The mean of pgbench before and after. */
  readonly pgbench: PgbenchRates;
}

function report(rounds: readonly Round[], commitMs: number): void {
  const middle = (read: (one: Round) => number) => median(rounds.map(read));
  const ratio = (to: keyof PgbenchRates) => (one: Round) => one.perSecond / one.pgbench[to];
  const print = (name: string, read: (one: Round) => string) =>
    console.log(name.padEnd(14) + rounds.map((one) => read(one).padStart(7)).join(''));
  print('rows/s', ({ perSecond }) => String(Math.round(perSecond)));
  print('× pgbench 8', (one) => ratio('tps')(one).toFixed(2));
  print('× best', (one) => ratio('best')(one).toFixed(2));
  print('µs node', ({ cpu }) => cpu.node.toFixed(1));
  print('µs pg', ({ cpu }) => cpu.postgres.toFixed(1));
  finish('payout', {
    ratio: round(middle(ratio('tps'))),
    best_ratio: round(middle(ratio('best'))),
    rows_per_second: Math.round(middle(({ perSecond }) => perSecond)),
    pgbench_tps: Math.round(middle(({ pgbench }) => pgbench.tps)),
    pgbench_best_tps: Math.round(middle(({ pgbench }) => pgbench.best)),
    commit_ms: commitMs,
    // The client that reads the feed is part of Node's time here.
    cpu_us: { node: middle(({ cpu }) => cpu.node), postgres: middle(({ cpu }) => cpu.postgres) },
    files: rounds.length,
  });
}

interface File {
  readonly keyId: string;
  readonly payer: Person;
  readonly people: readonly Person[];
  readonly nth: number;
}

/** Seconds from the confirmation until every row is paid. */
async function payFile(db: Db, { keyId, payer, people, nth }: File): Promise<number> {
  const shuffled = [...people].sort(() => Math.random() - 0.5);
  const lines = shuffled.map(({ username }, i) => `file-${nth}-${i},${username},0.001`);
  const bytes = Buffer.from(`reference,to,amount\n${lines.join('\n')}\n`);
  const caller = { keyId, certificate: undefined, client: '127.0.0.1', currency: 'USDC' };
  const checked = await checkPayout(
    { db, homeBlockchain: HOME, places },
    {
      ...caller,
      payer: payer.username,
      onShortage: 'wait',
      file: { contentType: 'text/csv', bytes },
      parsed: parseCsvRows(bytes),
    },
  );
  if (checked.outcome !== 'kept') throw new Error(JSON.stringify(checked.errors[0]));
  const { payoutId } = checked.payout;
  const start = performance.now();
  await confirmPayout(db, {
    ...caller,
    payoutId,
    count: ROWS,
    total: (BigInt(ROWS) * 1_000n) as Usdc,
    approvalThreshold: undefined,
  });
  for (;;) {
    const [row] = await db.query<{ state: string }>('SELECT state FROM payouts WHERE payout_id = $1', [payoutId]);
    if (row!.state === 'complete') break;
    await new Promise((done) => setTimeout(done, 5));
  }
  const took = (performance.now() - start) / 1_000;
  const { byState } = await getPayout(db, payoutId, keyId);
  if (byState.paid?.count !== ROWS) throw new Error(`${byState.paid?.count} of ${ROWS} rows are paid`);
  return took;
}

/** Reads the feed as it grows, like a client that keeps its own books. Returns how many payments it has seen. */
async function readOn(db: Db, signal: AbortSignal): Promise<number> {
  const isPaid = ({ type }: { readonly type: string }) => type === 'payment.complete';
  let after = await findLast(db);
  let seen = 0;
  for (let isAll = false; !isAll || !signal.aborted; ) {
    const page = await readFeed(db, { after, types: undefined, limit: 500 });
    seen += page.events.filter(isPaid).length;
    after = page.next;
    isAll = page.isAll;
    if (isAll) await new Promise((done) => setTimeout(done, 20));
  }
  await db.close();
  return seen;
}
