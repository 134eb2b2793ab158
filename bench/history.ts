/**
 * What a page of history costs as history grows: the newest page and one from the middle, over HTTP, of a person who
 * takes part in every tenth of 10 thousand, 1 million and 10 million transfers.
 */
import { fork } from 'node:child_process';
import { openAsset } from '../server/src/ledger/accounts.ts';
import { renderCursor } from '../server/src/payments/historyCursor.ts';
import { fillHistory, openHistory } from './support/historyRows.ts';
import { createPeople, HOME, openWorld, percentile, round, SECONDS } from './support/ledgerWorld.ts';

const SIZES = [10_000, 1_000_000, 10_000_000];
const PEOPLE = 10_000;
const ROUNDS = SECONDS < 30 ? 200 : 1_500;

interface Row {
  readonly page: string;
  readonly size: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export default async function benchHistory(): Promise<void> {
  const sizes = process.env.FLORIN_BENCH_HISTORY?.split(',').map(Number) ?? SIZES;
  const world = await openWorld();
  try {
    const people = await createPeople(world.db, PEOPLE);
    const person = people[0]!;
    const assetId = await openAsset(world.db, HOME);
    const before = await world.pgbench.measure(SECONDS);
    const server = await startServer(world.databaseUrl);
    const history = await openHistory(world.db, person.userId);
    const path = `${server.url}/api/v1/latest_transactions_by_username/${person.username}`;
    const rows: Row[] = [];
    for (const size of sizes) {
      await fillHistory(world.db, history, size);
      const middle = renderCursor(new Map([[assetId, BigInt(size / 20)]]));
      for (const [page, url] of [
        ['first', path],
        ['deep', `${path}?cursor=${middle}`],
      ] as const) {
        rows.push({ page, size, ...(await measure(url)) });
      }
      const [first, deep] = rows.slice(-2) as [Row, Row];
      console.log(`${size} transfers: first page ${round(first.p50Ms)} ms, deep page ${round(deep.p50Ms)} ms (p50)`);
    }
    server.stop();
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));

    console.log('page    transfers   p50 ms   p99 ms   pages/s   × pgbench');
    for (const { page, size, p50Ms, p99Ms } of rows) {
      const cells = [size, round(p50Ms), round(p99Ms), Math.round(1_000 / p50Ms), round(1_000 / p50Ms / tps)];
      console.log(page.padEnd(6) + cells.map((cell, i) => String(cell).padStart([11, 9, 9, 10, 12][i]!)).join(''));
    }
    const growth = (page: string) => {
      const of = rows.filter((row) => row.page === page);
      return round(of.at(-1)!.p50Ms / of[0]!.p50Ms);
    };
    console.log(
      JSON.stringify({ bench: 'history', first_page_growth: growth('first'), deep_page_growth: growth('deep') }),
    );
  } finally {
    await world.stop();
  }
}

/** One request after the other: this is about what a page costs, not about how many fit beside each other. */
async function measure(url: string): Promise<{ p50Ms: number; p99Ms: number }> {
  const latencies: number[] = [];
  for (let i = -ROUNDS / 10; i < ROUNDS; i++) {
    const startMs = performance.now();
    const answer = await fetch(url);
    const page = (await answer.json()) as { transactions?: unknown[]; next_cursor: unknown };
    if (page.transactions?.length !== 50 || page.next_cursor === null) {
      throw new Error(`not a full page: ${answer.status} ${JSON.stringify(page).slice(0, 300)}`);
    }
    if (i >= 0) latencies.push(performance.now() - startMs);
  }
  latencies.sort((a, b) => a - b);
  return { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}

async function startServer(databaseUrl: string): Promise<{ url: string; stop(): void }> {
  const child = fork(new URL('./support/p2pServer.ts', import.meta.url), [databaseUrl], {
    execArgv: ['--import', 'tsx'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}
