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

const PEOPLE = sized(10_000, 100);
const AMOUNT = 1_000n as Usdc;

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export default async function benchLedger(): Promise<void> {
  const world = await openWorld();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await createPeople(db, PEOPLE);
    const before = await world.pgbench.measure(SECONDS);
    const payments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' });
    await load(payments, people, { callers: 64, hot: false, seconds: SECONDS / 6 });
    const rows: [string, Measured][] = [
      ['64 callers', await load(payments, people, { callers: 64, hot: false, seconds: SECONDS / 2 })],
      ['256 callers', await load(payments, people, { callers: 256, hot: false, seconds: SECONDS })],
      ['256 callers, hot', await load(payments, people, { callers: 256, hot: true, seconds: SECONDS / 2 })],
    ];
    await payments.close();
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));
    await proveBooks(db);
    console.log('                    payments/s   × pgbench   p50 ms   p99 ms');
    for (const [name, { perSecond, p50Ms, p99Ms }] of rows) {
      const cells = [Math.round(perSecond), round(perSecond / tps), round(p50Ms, 1), round(p99Ms, 1)];
      console.log(name.padEnd(18) + cells.map((cell, i) => String(cell).padStart([12, 12, 9, 9][i]!)).join(''));
    }
    const ratio = (i: number) => round(rows[i]![1].perSecond / tps);
    finish('ledger', {
      pgbench_tps: Math.round(tps),
      ratio_64: ratio(0),
      ratio_256: ratio(1),
      hot_ratio_256: ratio(2),
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
  return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}
