/**
 * How long a person waits for a payment when the service is busy but not overloaded: payments arrive independently of each
 * other at half of the rate that the server reaches at its limit, over HTTP with all of production's checks. Latencies
 * count from the moment in which a payment was due (`load/openLoop.ts`). The goal: p99 below three times what the disk
 * takes for a commit, and 5 ms. A payment waits for the batch before its own, then for its own commit.
 */
import type { Answered } from './load/openLoop.ts';
import { applyLoad } from './load/p2pLoad.ts';
import { startOpenLoop } from './load/startOpenLoop.ts';
import { finish } from './support/finish.ts';
import { createPeople, median, openWorld, percentile, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { logIn } from './support/logIn.ts';
import { sized } from './support/short.ts';
import { compileServer, prepareServers } from './support/startBuiltServer.ts';
import { measureCommitMs } from './support/yardsticks/commitLatency.ts';

const PEOPLE = sized(10_000, 100);
const ROUNDS = sized(3, 1);
const SHARE = 0.5;
const RATE_LIMITS = 'address=10000000, login=30, user=300, key=6000, kyc=10';

interface Round {
  readonly rate: number;
  readonly commitMs: number;
  readonly answered: Answered;
}

export default async function benchLatency(): Promise<void> {
  await compileServer();
  const world = await openWorld();
  const load = startOpenLoop();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await logIn(db, await createPeople(db, PEOPLE));
    const servers = await prepareServers('production', databaseUrl, db, RATE_LIMITS);
    const server = await servers.start();
    const url = server.backendUrl;
    const rounds: Round[] = [];
    // The first one warms up.
    for (let nth = sized(-1, 0); nth < ROUNDS; nth++) {
      const commitMs = await measureCommitMs(world.folder);
      const most = await applyLoad({ url, people, connections: 256, seconds: sized(Math.ceil(SECONDS / 3), 1) });
      if (most.refused > 0) throw new Error(`${most.refused} payments were refused or lost at the limit`);
      const rate = most.perSecond * SHARE;
      const answered = await load.run({ url, people, rate, seconds: sized(SECONDS, 1) });
      if (nth >= 0) rounds.push({ rate, commitMs, answered });
    }
    await server.stop();
    servers.remove();
    await proveBooks(db);
    report(rounds);
  } finally {
    load.stop();
    await world.stop();
  }
}

function report(rounds: readonly Round[]): void {
  const quantile = ({ answered }: Round, share: number) => percentile(answered.latenciesMs, share);
  console.log('payments/s   payments   p50 ms   p99 ms   p99.9 ms   largest   commit ms');
  for (const one of rounds) {
    const times = [quantile(one, 0.5), quantile(one, 0.99), quantile(one, 0.999), one.answered.latenciesMs.at(-1)!];
    const cells = [
      Math.round(one.rate),
      one.answered.latenciesMs.length,
      ...times.map((ms) => round(ms, 1)),
      one.commitMs,
    ];
    console.log(cells.map((cell, i) => String(cell).padStart([10, 11, 9, 9, 11, 10, 12][i]!)).join(''));
  }
  const middle = (read: (one: Round) => number, digits = 1) => round(median(rounds.map(read)), digits);
  const refused = rounds.reduce((sum, { answered }) => sum + answered.refused, 0);
  finish(
    'latency',
    {
      rate: middle(({ rate }) => rate, 0),
      p50_ms: middle((one) => quantile(one, 0.5)),
      p99_ms: middle((one) => quantile(one, 0.99)),
      p999_ms: middle((one) => quantile(one, 0.999)),
      commit_ms: middle(({ commitMs }) => commitMs, 3),
      goal_p99_ms: middle(({ commitMs }) => 3 * commitMs + 5),
      refused,
    },
    { promises: { 'no payment may be refused': refused === 0 } },
  );
}
