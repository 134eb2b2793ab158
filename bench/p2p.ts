/**
 * People paying each other over HTTP: 10,000 funded users, one server process, the one that production starts, every
 * request with its own Idempotency-Key, against pgbench on the same PostgreSQL server. First bare, without credentials as
 * in the sandbox, then with all of production's checks, then both in turns.
 */
import { SANDBOX_IDENTITY } from '../server/src/bin/config/config.ts';
import type { Db } from '../server/src/db/database.ts';
import { applyLoad, type Load } from './load/p2pLoad.ts';
import { hasWrk, type Loaded } from './load/runWrk.ts';
import { createPeople, openWorld, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { logIn } from './support/logIn.ts';
import { type BuiltServers, compileServer, prepareServers } from './support/startBuiltServer.ts';

const PEOPLE = 10_000;
const MODES = ['sandbox', 'production'] as const;
type Mode = (typeof MODES)[number];
/** Only the limit per address is lifted, because here everybody has the same address. */
const RATE_LIMITS = 'address=10000000, login=30, user=300, key=6000, kyc=10';

/** A sandbox and production never share a database. */
interface Opened {
  readonly mode: Mode;
  readonly db: Db;
  readonly servers: BuiltServers;
  readonly people: Load['people'];
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
    const [bare, production] = opened as [Opened, Opened];
    const before = await world.pgbench.measure(SECONDS);
    console.log(`Driven by ${hasWrk() ? 'wrk' : 'autocannon (wrk is not installed)'}.`);
    const [at64, at256, hot] = await measure(bare, [{}, { connections: 256 }, HOT]);
    const [safe64, safe256] = await measure(production, [{}, { connections: 256 }]);
    const checked = await measureChecks(opened);
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));
    for (const { db } of opened) await proveBooks(db);

    console.log('                            payments/s   × pgbench   p50 ms   p99 ms   not 200');
    printLoaded('64 connections', at64!, tps);
    printLoaded('256 connections', at256!, tps);
    printLoaded('256 connections, hot', hot!, tps);
    printLoaded('production, 64', safe64!, tps);
    printLoaded('production, 256', safe256!, tps);
    const checksRatio = printChecks(checked);
    const ratio = ({ perSecond }: Loaded) => round(perSecond / tps);
    console.log(
      JSON.stringify({
        bench: 'p2p',
        pgbench_tps: Math.round(tps),
        rps_64: Math.round(at64!.perSecond),
        rps_256: Math.round(at256!.perSecond),
        ratio_64: ratio(at64!),
        ratio_256: ratio(at256!),
        p99_ms_256: round(at256!.p99Ms, 1),
        hot_ratio_256: ratio(hot!),
        production_ratio_64: ratio(safe64!),
        production_ratio_256: ratio(safe256!),
        checks_ratio: checksRatio,
      }),
    );
  } finally {
    for (const { servers } of opened) servers.remove();
    await world.stop();
  }
}

type Wanted = Partial<Pick<Load, 'connections' | 'hot'>>;
const HOT: Wanted = { connections: 256, hot: true };

/** Starts one server, warms it up, and applies one load after the other. */
async function measure({ servers, people }: Opened, loads: readonly Wanted[]): Promise<Loaded[]> {
  const server = await servers.start();
  const load = (wanted: Wanted, seconds: number) =>
    applyLoad({ url: server.backendUrl, people, connections: 64, hot: false, seconds: Math.ceil(seconds), ...wanted });
  await load({}, SECONDS / 4);
  const loaded: Loaded[] = [];
  for (const wanted of loads) loaded.push(await load(wanted, SECONDS));
  await server.stop();
  if (loaded.some(({ refused }) => refused > 0)) throw new Error('a payment was refused or lost');
  return loaded;
}

function printLoaded(name: string, { perSecond, p50Ms, p99Ms, refused }: Loaded, tps: number): void {
  const cells = [Math.round(perSecond), round(perSecond / tps), round(p50Ms, 1), round(p99Ms, 1), refused];
  console.log(name.padEnd(26) + cells.map((cell, i) => String(cell).padStart([12, 12, 9, 9, 10][i]!)).join(''));
}

const ROUNDS = 5;

type Checked = Record<Mode, number[]>;

/** What production's checks cost. Short alternating rounds, so that a busy machine slows both alike. */
async function measureChecks(opened: readonly Opened[]): Promise<Checked> {
  const rates: Checked = { sandbox: [], production: [] };
  const running = await Promise.all(opened.map(async (one) => ({ ...one, server: await one.servers.start() })));
  const seconds = Math.max(2, Math.ceil(SECONDS / ROUNDS));
  for (let nth = 0; nth <= ROUNDS; nth++) {
    for (const { mode, server, people } of running) {
      const load = { url: server.backendUrl, people, connections: 256, hot: false, seconds: nth === 0 ? 2 : seconds };
      const { perSecond, refused } = await applyLoad(load);
      if (refused > 0) throw new Error(`in ${mode} mode a payment was refused or lost`);
      // The first round only warms up.
      if (nth > 0) rates[mode].push(perSecond);
    }
  }
  for (const { server } of running) await server.stop();
  return rates;
}

/** Answers how fast production is compared with bare. */
function printChecks(rates: Checked): number {
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const ratio = round(median(rates.production.map((rate, nth) => rate / rates.sandbox[nth]!)), 3);
  const says = { sandbox: 'bare', production: 'session and rate limits' };
  console.log('\n256 connections           payments/s   × bare   µs per payment');
  for (const mode of MODES) {
    const rate = median(rates[mode]);
    const cells = [Math.round(rate), mode === 'sandbox' ? 1 : ratio, round(1e6 / rate, 1)];
    console.log(says[mode].padEnd(24) + cells.map((cell, i) => String(cell).padStart([12, 9, 17][i]!)).join(''));
  }
  return ratio;
}
