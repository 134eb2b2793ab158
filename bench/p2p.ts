/**
 * People paying each other over HTTP: 10,000 funded users, one server process, every request under its own
 * Idempotency-Key, against pgbench on the same PostgreSQL server.
 */
import { fork } from 'node:child_process';
import { createPeople, openWorld, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { applyLoad, hasWrk, type Loaded } from './support/p2pLoad.ts';

const PEOPLE = 10_000;

export default async function benchP2p(): Promise<void> {
  const world = await openWorld();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await createPeople(db, PEOPLE);
    const before = await world.pgbench.measure(SECONDS);
    const server = await startServer(databaseUrl);
    const load = (connections: number, hot: boolean, seconds: number) =>
      applyLoad({ url: server.url, people, connections, hot, seconds: Math.ceil(seconds) });
    console.log(`Driven by ${hasWrk() ? 'wrk' : 'autocannon (wrk is not installed)'}.`);
    await load(64, false, SECONDS / 4);
    const rows: [string, Loaded][] = [
      ['64 connections', await load(64, false, SECONDS)],
      ['256 connections', await load(256, false, SECONDS)],
      ['256 connections, hot', await load(256, true, SECONDS)],
    ];
    server.stop();
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));
    await proveBooks(db);

    console.log('                      payments/s   × pgbench   p50 ms   p99 ms   not 200');
    for (const [name, { perSecond, p50Ms, p99Ms, refused }] of rows) {
      const cells = [Math.round(perSecond), round(perSecond / tps), round(p50Ms, 1), round(p99Ms, 1), refused];
      console.log(name.padEnd(20) + cells.map((cell, i) => String(cell).padStart([12, 12, 9, 9, 10][i]!)).join(''));
      if (refused > 0) throw new Error('a payment was refused or lost');
    }
    const [at64, at256, hot] = rows.map(([, loaded]) => loaded) as [Loaded, Loaded, Loaded];
    console.log(
      JSON.stringify({
        bench: 'p2p',
        pgbench_tps: Math.round(tps),
        rps_64: Math.round(at64.perSecond),
        rps_256: Math.round(at256.perSecond),
        ratio_64: round(at64.perSecond / tps),
        ratio_256: round(at256.perSecond / tps),
        p99_ms_256: round(at256.p99Ms, 1),
        hot_ratio_256: round(hot.perSecond / tps),
      }),
    );
  } finally {
    await world.stop();
  }
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
