/**
 * People pay each other over HTTP: 10,000 funded users, one production server process, every request with its own
 * Idempotency-Key, against pgbench on the same PostgreSQL server: bare, without credentials as in the sandbox, and with
 * all of production's checks.
 *
 * A machine changes its speed by half within minutes. So everything is measured in short alternating rounds; a load is
 * compared with pgbench just before and just after its round, and the median of the rounds counts. `ratio`: to pgbench
 * with 8 clients. `best_ratio`: to the best of 8, 32 and 64 clients. CPU time per payment depends least on the machine.
 */
import { SANDBOX_IDENTITY } from '../server/src/bin/config/faults/modeFaults.ts';
import type { Db } from '../server/src/db/database.ts';
import { applyLoad, type Load } from './load/p2pLoad.ts';
import { hasWrk, type Loaded } from './load/runWrk.ts';
import { finish } from './support/finish.ts';
import { createPeople, median, openWorld, proveBooks, round, SECONDS, type World } from './support/ledgerWorld.ts';
import { logIn } from './support/logIn.ts';
import { isShort, sized } from './support/short.ts';
import { type BuiltServers, compileServer, prepareServers } from './support/startBuiltServer.ts';
import { measureCommitMs } from './support/yardsticks/commitLatency.ts';
import { CPU_HEADINGS, type Cpu, measureCpu, renderCpu } from './support/yardsticks/measureCpu.ts';
import { meanRates, type PgbenchRates } from './support/yardsticks/pgbench.ts';

const PEOPLE = sized(10_000, 500);
const MODES = ['sandbox', 'production'] as const;
type Mode = (typeof MODES)[number];
/** Only the limit per address is lifted, because all clients here have the same address. */
const RATE_LIMITS = 'address=10000000, login=30, user=300, key=6000, kyc=10';

/** A sandbox and production never share a database. */
interface Opened {
  readonly mode: Mode;
  readonly db: Db;
  readonly servers: BuiltServers;
  readonly people: Load['people'];
}

interface Row {
  readonly name: string;
  readonly mode: Mode;
  readonly connections: number;
  readonly hot: boolean;
  /** Every other payment has a note. */
  readonly noted?: boolean;
}

const ROWS = {
  at64: { name: '64 connections', mode: 'sandbox', connections: 64, hot: false },
  at256: { name: '256 connections', mode: 'sandbox', connections: 256, hot: false },
  hot: { name: '256 connections, hot', mode: 'sandbox', connections: 256, hot: true },
  noted64: { name: '64, half with notes', mode: 'sandbox', connections: 64, hot: false, noted: true },
  safe64: { name: 'production, 64', mode: 'production', connections: 64, hot: false },
  safe256: { name: 'production, 256', mode: 'production', connections: 256, hot: false },
} satisfies Record<string, Row>;
type RowName = keyof typeof ROWS;
const NAMES = Object.keys(ROWS) as RowName[];

const ROUNDS = sized(6, 1);

interface Measured extends Loaded {
  readonly cpu: Cpu;
}

interface Round {
  readonly loaded: Readonly<Record<RowName, Measured>>;
  /** The mean of pgbench before and after. */
  readonly pgbench: PgbenchRates;
}

export default async function benchP2p(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  const opened: Opened[] = [];
  try {
    for (const mode of MODES) {
      const { databaseUrl, db } = await world.createDatabase(`florin_${mode}`);
      const people = await createPeople(db, PEOPLE, mode === 'sandbox' ? SANDBOX_IDENTITY : 'bench');
      const servers = await prepareServers(mode, databaseUrl, db, mode === 'production' ? RATE_LIMITS : undefined);
      opened.push({ mode, db, servers, people: mode === 'sandbox' ? people : await logIn(db, people) });
    }
    console.log(`Driven by ${hasWrk() ? 'wrk' : 'autocannon (wrk is not installed)'}.`);
    const commitMs = await measureCommitMs(world.folder);
    const rounds = await measureRounds(opened, world);
    for (const { db } of opened) await proveBooks(db);
    report(rounds, commitMs);
  } finally {
    for (const { servers } of opened) servers.remove();
    await world.stop();
  }
}

async function measureRounds(opened: readonly Opened[], { pgbench, readCpuSeconds }: World): Promise<Round[]> {
  const running = await Promise.all(opened.map(async (one) => ({ ...one, server: await one.servers.start() })));
  const load = async (row: Row, seconds: number): Promise<Measured> => {
    const { server, people } = running.find(({ mode }) => mode === row.mode)!;
    const { connections, hot, noted = false } = row;
    const { result, cpu } = await measureCpu(
      { node: server.readCpuSeconds, postgres: readCpuSeconds },
      () => applyLoad({ url: server.backendUrl, people, connections, hot, noted, seconds }),
      ({ requests }) => requests,
    );
    if (result.refused > 0) throw new Error(`${row.name}: a payment was refused or lost`);
    return { ...result, cpu };
  };
  const seconds = sized(Math.max(2, Math.ceil(SECONDS / ROUNDS)), 1);
  if (!isShort) for (const name of NAMES) await load(ROWS[name], seconds);
  const rounds: Round[] = [];
  let before = await pgbench.compare(seconds);
  for (let nth = 0; nth < ROUNDS; nth++) {
    const loaded = {} as Record<RowName, Measured>;
    for (const name of NAMES) loaded[name] = await load(ROWS[name], seconds);
    const after = await pgbench.compare(seconds);
    rounds.push({ loaded, pgbench: meanRates(before, after) });
    before = after;
  }
  for (const { server } of running) await server.stop();
  return rounds;
}

function report(rounds: readonly Round[], commitMs: number): void {
  const middle = (read: (one: Round) => number) => median(rounds.map(read));
  const rate = (name: RowName) => Math.round(middle(({ loaded }) => loaded[name].perSecond));
  const ratio = (name: RowName, to: keyof PgbenchRates) =>
    round(middle(({ loaded, pgbench }) => loaded[name].perSecond / pgbench[to]));
  const ms = (name: RowName, which: 'p50Ms' | 'p99Ms') =>
    round(
      middle(({ loaded }) => loaded[name][which]),
      1,
    );
  const cpu = (name: RowName): Cpu => {
    const of = (party: keyof Cpu) =>
      round(
        middle(({ loaded }) => loaded[name].cpu[party]),
        1,
      );
    return { node: of('node'), postgres: of('postgres'), load: of('load') };
  };
  console.log(`                            payments/s   × pgbench 8   × best   p50 ms   p99 ms${CPU_HEADINGS}`);
  for (const name of NAMES) {
    const cells = [rate(name), ratio(name, 'tps'), ratio(name, 'best'), ms(name, 'p50Ms'), ms(name, 'p99Ms')];
    const line = cells.map((cell, i) => String(cell).padStart([12, 14, 9, 9, 9][i]!)).join('');
    console.log(ROWS[name].name.padEnd(26) + line + renderCpu(cpu(name)));
  }
  finish('p2p', {
    pgbench_tps: Math.round(middle(({ pgbench }) => pgbench.tps)),
    pgbench_best_tps: Math.round(middle(({ pgbench }) => pgbench.best)),
    commit_ms: commitMs,
    rps_64: rate('at64'),
    rps_256: rate('at256'),
    ratio_64: ratio('at64', 'tps'),
    ratio_256: ratio('at256', 'tps'),
    best_ratio_256: ratio('at256', 'best'),
    p99_ms_256: ms('at256', 'p99Ms'),
    hot_ratio_256: ratio('hot', 'tps'),
    production_ratio_64: ratio('safe64', 'tps'),
    production_ratio_256: ratio('safe256', 'tps'),
    production_best_ratio_256: ratio('safe256', 'best'),
    checks_ratio: round(
      middle(({ loaded }) => loaded.safe256.perSecond / loaded.at256.perSecond),
      3,
    ),
    notes_ratio_64: round(
      middle(({ loaded }) => loaded.noted64.perSecond / loaded.at64.perSecond),
      3,
    ),
    cpu_us_256: cpu('at256'),
    production_cpu_us_256: cpu('safe256'),
  });
}
