/**
 * Measures the cost of a page of history as the history grows: the newest page and one from the middle, over HTTP, for
 * a person who takes part in one of ten of 10 thousand, 1 million and 10 million transfers. Then measures how many
 * pages per second the production server delivers to 1,000 concurrent people while others pay (`load/pageLoad.ts`).
 */
import { fork } from 'node:child_process';
import { openAsset } from '../server/src/ledger/accounts.ts';
import { renderCursor } from '../server/src/payments/read/historyCursor.ts';
import { measurePages } from './load/pageLoad.ts';
import { finish } from './support/finish.ts';
import { fillHistory, openHistory } from './support/historyRows.ts';
import { createPeople, HOME, openWorld, percentile, round, SECONDS } from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';

const SIZES = sized([10_000, 1_000_000, 10_000_000], [2_000, 4_000]);
const PEOPLE = sized(1_000, 100);
const ROUNDS = sized(SECONDS < 30 ? 200 : 1_500, 10);

interface Page {
  readonly name: 'first' | 'deep';
  readonly size: number;
  readonly url: string;
  readonly latencies: number[];
}

export default async function benchHistory(): Promise<void> {
  const sizes = process.env.FLORIN_BENCH_HISTORY?.split(',').map(Number) ?? SIZES;
  const world = await openWorld();
  const servers: { stop(): void }[] = [];
  try {
    const pages: Page[] = [];
    for (const size of sizes) {
      const { databaseUrl, db } = await world.createDatabase(`history_${size}`);
      const [person] = await createPeople(db, PEOPLE);
      await fillHistory(db, await openHistory(db, person!.userId), size);
      const server = await startServer(databaseUrl);
      servers.push(server);
      const url = `${server.url}/api/v1/latest_transactions_by_username/${person!.username}`;
      const middle = renderCursor(new Map([[await openAsset(db, HOME, 'USDC'), BigInt(size / 20)]]));
      pages.push({ name: 'first', size, url, latencies: [] });
      pages.push({ name: 'deep', size, url: `${url}?cursor=${middle}`, latencies: [] });
      console.log(`${size} transfers are there.`);
    }
    const before = await world.pgbench.measure(SECONDS);
    // One request of each size in turn, so that other load on the machine affects all sizes alike.
    for (let turn = -ROUNDS / 10; turn < ROUNDS; turn++) {
      for (const page of pages) {
        const ms = await read(page.url);
        if (turn >= 0) page.latencies.push(ms);
      }
    }
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));

    for (const { latencies } of pages) latencies.sort((a, b) => a - b);
    const p50 = ({ latencies }: Page) => percentile(latencies, 0.5);
    console.log('page    transfers   p50 ms   p99 ms   pages/s   × pgbench');
    for (const page of pages) {
      const perSecond = 1_000 / p50(page);
      const p99 = percentile(page.latencies, 0.99);
      const cells = [page.size, round(p50(page)), round(p99), Math.round(perSecond), round(perSecond / tps)];
      console.log(page.name.padEnd(6) + cells.map((cell, i) => String(cell).padStart([11, 9, 9, 10, 12][i]!)).join(''));
    }
    const growth = (name: Page['name']) => {
      const same = pages.filter((page) => page.name === name);
      return round(p50(same.at(-1)!) / p50(same[0]!));
    };
    for (const server of servers.splice(0)) server.stop();
    const many = await measurePages(await world.createDatabase('pages'));
    const ratio = round(many.pagesPerSecond / many.barePerSecond, 3);
    console.log(`\n64 connections, pages of 50 (${many.bytes} bytes), each of another of 1,000 people`);
    console.log(
      `Florin   ${Math.round(many.pagesPerSecond)} pages/s, and ${Math.round(many.paymentsPerSecond)} payments/s`,
    );
    console.log(`Fastify  ${Math.round(many.barePerSecond)} answers/s with the same bytes`);
    console.log(`${many.checked} pages were checked to show what was paid just before.`);
    finish('history', {
      first_page_growth: growth('first'),
      deep_page_growth: growth('deep'),
      page_ratio_64: ratio,
      pages_per_s: Math.round(many.pagesPerSecond),
      payments_per_s: Math.round(many.paymentsPerSecond),
    });
  } finally {
    for (const server of servers) server.stop();
    await world.stop();
  }
}

async function read(url: string): Promise<number> {
  const startMs = performance.now();
  const answer = await fetch(url);
  const page = (await answer.json()) as { transactions?: unknown[]; next_cursor: unknown };
  const ms = performance.now() - startMs;
  if (page.transactions?.length === 50 && page.next_cursor !== null) return ms;
  throw new Error(`not a full page: ${answer.status} ${JSON.stringify(page).slice(0, 300)}`);
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
