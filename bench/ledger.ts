/**
 * Measures the ledger without HTTP: how many payments between people the batches commit durably per second, compared
 * with pgbench on the same server. Every payment checks pauses, balance and limits, and writes one row of `transfers`
 * with the balances after it.
 */
import { newId } from '../server/src/core/ids.ts';
import type { Usdc } from '../server/src/core/money.ts';
import { openUserPayments, type UserPayments } from '../server/src/payments/users/openUserPayments.ts';
import { finish } from './support/finish.ts';
import {
  createPeople,
  HOME,
  openWorld,
  type Person,
  percentile,
  proveBooks,
  round,
  SECONDS,
} from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';
import { measureCommitMs } from './support/yardsticks/commitLatency.ts';
import { readCpuSeconds } from './support/yardsticks/cpuSeconds.ts';
import { measureCpu } from './support/yardsticks/measureCpu.ts';
import { meanRates } from './support/yardsticks/pgbench.ts';

const PEOPLE = sized(10_000, 100);
const AMOUNT = 1_000n as Usdc;

interface Measured {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export default async function benchLedger(): Promise<void> {
  const world = await openWorld();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await createPeople(db, PEOPLE);
    const commitMs = await measureCommitMs(world.folder);
    const before = await world.pgbench.compare(SECONDS / 3);
    const payments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' });
    const measure = async (name: string, callers: number, hot: boolean, seconds: number) => {
      // The callers are part of this process, so their time counts as Node's.
      const { result, cpu } = await measureCpu(
        { node: () => readCpuSeconds(process.pid), postgres: world.readCpuSeconds },
        () => load(payments, people, { callers, hot, seconds }),
        ({ count }) => count,
      );
      return { name, ...result, cpu };
    };
    await measure('warm', 64, false, SECONDS / 6);
    const rows = [
      await measure('64 callers', 64, false, SECONDS / 2),
      await measure('256 callers', 256, false, SECONDS),
      await measure('256 callers, hot', 256, true, SECONDS / 2),
    ] as const;
    await payments.close();
    const { tps, best } = meanRates(before, await world.pgbench.compare(SECONDS / 3));
    await proveBooks(db);
    console.log('                    payments/s   × pgbench 8   × best   p50 ms   p99 ms   µs node   µs pg');
    for (const { name, perSecond, p50Ms, p99Ms, cpu } of rows) {
      const times = [round(p50Ms, 1), round(p99Ms, 1), cpu.node, cpu.postgres];
      const cells = [Math.round(perSecond), round(perSecond / tps), round(perSecond / best), ...times];
      const widths = [12, 14, 9, 9, 9, 10, 8];
      console.log(name.padEnd(18) + cells.map((cell, i) => String(cell).padStart(widths[i]!)).join(''));
    }
    const ratio = (i: 0 | 1 | 2, to: number) => round(rows[i].perSecond / to);
    const { node, postgres } = rows[1].cpu;
    finish('ledger', {
      pgbench_tps: Math.round(tps),
      pgbench_best_tps: Math.round(best),
      commit_ms: commitMs,
      ratio_64: ratio(0, tps),
      ratio_256: ratio(1, tps),
      best_ratio_256: ratio(1, best),
      hot_ratio_256: ratio(2, tps),
      cpu_us_256: { node, postgres },
    });
  } finally {
    await world.stop();
  }
}

/** Each caller waits for its answer before it pays again. Hot: four of five payments go to the same person. */
async function load(
  payments: UserPayments,
  people: readonly Person[],
  { callers, hot, seconds }: { callers: number; hot: boolean; seconds: number },
): Promise<Measured> {
  const pick = () => people[Math.floor(Math.random() * people.length)]!;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  const latencies: number[] = [];
  const call = async () => {
    for (let now = performance.now(); now < endMs; ) {
      const sender = pick();
      let receiver = hot && Math.random() < 0.8 ? people[0]! : pick();
      while (receiver === sender) receiver = pick();
      const { username } = receiver;
      const command = { paymentId: newId(), keyed: true, senderId: sender.userId, amount: AMOUNT };
      const { result } = await payments.submit({ ...command, receiver: username, receiverText: username });
      if (result === 'mismatch' || result.outcome === 'refused') throw new Error(`refused: ${JSON.stringify(result)}`);
      const done = performance.now();
      latencies.push(done - now);
      now = done;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const perSecond = latencies.length / ((performance.now() - startMs) / 1_000);
  latencies.sort((a, b) => a - b);
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return { count: latencies.length, perSecond, p50Ms, p99Ms };
}
