/**
 * Payments between 100,000 people over HTTP, with 1, 2 and 5 server processes and 256 connections in all. Senders and
 * receivers are drawn uniformly, or by a Zipf distribution: with exponent 2.0 one account takes part in most payments.
 * Compared with the obvious way behind the same HTTP code: one PL/pgSQL call and one durable commit per payment
 * (`obviousServer.ts`), at its best of 8, 32 and 64 connections to PostgreSQL.
 *
 * Everything takes turns, and the median of the rounds counts. Retries are transactions that PostgreSQL rolled back.
 */
import { SANDBOX_IDENTITY } from '../server/src/bin/config/faults/modeFaults.ts';
import type { Queryable } from '../server/src/db/database.ts';
import { applyLoad } from './load/p2pLoad.ts';
import { type Loaded, mergeLoaded } from './load/runWrk.ts';
import { finish } from './support/finish.ts';
import { createPeople, median, openWorld, type Person, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { createObviousLedger, proveObviousLedger, startObviousServer } from './support/obvious/obviousLedger.ts';
import { sized } from './support/short.ts';
import { type BuiltServer, compileServer, prepareServers } from './support/startBuiltServer.ts';
import { measureCommitMs } from './support/yardsticks/commitLatency.ts';
import { CPU_HEADINGS, type Cpu, measureCpu, renderCpu } from './support/yardsticks/measureCpu.ts';

const PEOPLE = sized(100_000, 100);
const CONNECTIONS = sized(256, 16);
const PROCESSES = sized([1, 2, 5], [1, 2]);
/** Exponents; undefined: uniform. */
const DRAWS = [
  { name: 'uniform', zipf: undefined },
  { name: 'Zipf 1.2', zipf: 1.2 },
  { name: 'Zipf 2.0', zipf: 2 },
] as const;
const OBVIOUS = sized([8, 32, 64], [8]);
const ROUNDS = sized(3, 1);
const SECONDS_EACH = sized(Math.max(2, Math.ceil(SECONDS / 5)), 1);

interface Contender {
  readonly name: string;
  readonly servers: readonly BuiltServer[];
}

interface Line {
  readonly contender: Contender;
  readonly draw: (typeof DRAWS)[number];
  readonly rounds: { readonly loaded: Loaded; readonly cpu: Cpu }[];
}

export default async function benchContention(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  const stops: (() => Promise<void>)[] = [];
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await createPeople(db, PEOPLE, SANDBOX_IDENTITY);
    // Otherwise the people who are drawn most would share pages of every table.
    const shuffled = people.toSorted(() => Math.random() - 0.5);
    const commitMs = await measureCommitMs(world.folder);
    const obviousUrl = await world.createEmpty('obvious');
    await createObviousLedger(obviousUrl, people);

    const florin = await prepareServers('sandbox', databaseUrl, db);
    stops.push(async () => florin.remove());
    const all: BuiltServer[] = [];
    for (let nth = 0; nth < Math.max(...PROCESSES); nth++) {
      all.push(await florin.start());
      stops.unshift(all[nth]!.stop);
    }
    const contenders: Contender[] = PROCESSES.map((count) => ({
      name: `Florin, ${count} ${count === 1 ? 'process' : 'processes'}`,
      servers: all.slice(0, count),
    }));
    for (const connections of OBVIOUS) {
      const server = await startObviousServer(obviousUrl, connections);
      stops.unshift(server.stop);
      contenders.push({ name: `obvious, ${connections} connections`, servers: [server] });
    }

    const lines = contenders.flatMap((contender) => DRAWS.map((draw): Line => ({ contender, draw, rounds: [] })));
    for (const line of sized(lines, [])) await load(line, shuffled, 2);
    for (let nth = 0; nth < ROUNDS; nth++)
      for (const line of lines) line.rounds.push(await measure(line, shuffled, world.readCpuSeconds));

    // PostgreSQL has counted everything when the connections are closed.
    for (const stop of stops.splice(0)) await stop();
    const conflicts = await readConflicts(db);
    await proveBooks(db);
    console.log(`The obvious books balance: ${await proveObviousLedger(obviousUrl)} transfers recomputed.`);
    report(lines, commitMs, conflicts);
  } finally {
    for (const stop of stops) await stop();
    await world.stop();
  }
}

async function load({ contender, draw }: Line, people: readonly Person[], seconds: number): Promise<Loaded> {
  const { servers } = contender;
  const zipf = draw.zipf === undefined ? {} : { zipf: draw.zipf };
  const loads = servers.map(({ backendUrl: url }, nth) =>
    applyLoad({ url, people, connections: Math.floor((CONNECTIONS + nth) / servers.length), seconds, ...zipf }),
  );
  return mergeLoaded(await Promise.all(loads));
}

async function measure(line: Line, people: readonly Person[], postgres: () => number) {
  const { servers } = line.contender;
  const { result: loaded, cpu } = await measureCpu(
    { node: () => servers.reduce((sum, server) => sum + server.readCpuSeconds(), 0), postgres },
    () => load(line, people, SECONDS_EACH),
    ({ requests }) => requests,
  );
  return { loaded, cpu };
}

interface Conflicts {
  readonly rollbacks: number;
  readonly deadlocks: number;
}

async function readConflicts(db: Queryable): Promise<Conflicts> {
  const [row] = await db.query<Conflicts>(
    `SELECT xact_rollback::float8 AS rollbacks, deadlocks::float8 AS deadlocks
       FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row!;
}

function report(lines: readonly Line[], commitMs: number, { rollbacks, deadlocks }: Conflicts): void {
  const middle = ({ rounds }: Line, read: (one: Line['rounds'][number]) => number) => median(rounds.map(read));
  const rateOf = (line: Line) => middle(line, ({ loaded }) => loaded.perSecond);
  const errorsOf = ({ rounds }: Line) => rounds.reduce((sum, { loaded }) => sum + loaded.refused, 0);
  console.log(`                                    payments/s   p50 ms   p99 ms   errors${CPU_HEADINGS}`);
  for (const line of lines) {
    const [p50Ms, p99Ms] = [middle(line, ({ loaded }) => loaded.p50Ms), middle(line, ({ loaded }) => loaded.p99Ms)];
    const cells = [Math.round(rateOf(line)), round(p50Ms, 1), round(p99Ms, 1), errorsOf(line)];
    const of = (party: keyof Cpu) => middle(line, ({ cpu }) => cpu[party]);
    const name = `${line.contender.name.padEnd(24)} ${line.draw.name}`.padEnd(34);
    const figures = cells.map((cell, i) => String(cell).padStart([12, 9, 9, 9][i]!)).join('');
    console.log(name + figures + renderCpu({ node: of('node'), postgres: of('postgres'), load: of('load') }));
  }
  console.log(`Florin's transactions that PostgreSQL rolled back: ${rollbacks}; deadlocks: ${deadlocks}`);

  const find = (name: RegExp, draw: string) =>
    lines.filter((line) => name.test(line.contender.name) && line.draw.name === draw).map(rateOf);
  const many = (draw: string) => find(/^Florin/, draw).at(-1)!;
  const obvious = Math.max(...find(/^obvious/, 'Zipf 2.0'));
  const errors = lines
    .filter(({ contender }) => contender.name.startsWith('Florin'))
    .reduce((sum, line) => sum + errorsOf(line), 0);
  finish(
    'contention',
    {
      processes: PROCESSES.at(-1)!,
      obvious_tps: Math.round(obvious),
      obvious_uniform_tps: Math.round(Math.max(...find(/^obvious/, 'uniform'))),
      uniform_tps: Math.round(many('uniform')),
      zipf2_tps: Math.round(many('Zipf 2.0')),
      zipf2_vs_obvious: round(many('Zipf 2.0') / obvious),
      zipf2_vs_uniform: round(many('Zipf 2.0') / many('uniform')),
      commit_ms: commitMs,
      errors,
      retries: rollbacks,
      deadlocks,
    },
    { promises: { 'no payment may fail': errors === 0, 'no deadlock may happen': deadlocks === 0 } },
  );
}
