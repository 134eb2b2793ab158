/**
 * People paying each other over HTTP: 10,000 funded users, one server process, every request with its own
 * Idempotency-Key, against pgbench on the same PostgreSQL server. First without checks as in the sandbox, then with all
 * of production's, then check by check.
 */
import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../server/src/db/database.ts';
import { buildServer, PRODUCTION_FLAGS } from './support/buildServer.ts';
import { createPeople, openWorld, type Person, proveBooks, round, SECONDS } from './support/ledgerWorld.ts';
import { applyLoad, hasWrk, type Load, type Loaded } from './support/p2pLoad.ts';
import type { Checks } from './support/p2pServer.ts';

const PEOPLE = 10_000;

export default async function benchP2p(): Promise<void> {
  const world = await openWorld();
  try {
    const { databaseUrl, db } = await world.createDatabase('florin');
    const people = await createPeople(db, PEOPLE);
    const known = await logIn(db, people);
    const before = await world.pgbench.measure(SECONDS);
    console.log(`Driven by ${hasWrk() ? 'wrk' : 'autocannon (wrk is not installed)'}.`);
    const [at64, at256, hot] = await measure(databaseUrl, 'none', people, [{}, { connections: 256 }, HOT]);
    const [safe64, safe256] = await measure(databaseUrl, 'all', known, [{}, { connections: 256 }]);
    const checked = await measureChecks(databaseUrl, known);
    const tps = Math.max(before, await world.pgbench.measure(SECONDS));
    await proveBooks(db);

    console.log('                            payments/s   × pgbench   p50 ms   p99 ms   not 200');
    printLoaded('64 connections', at64!, tps);
    printLoaded('256 connections', at256!, tps);
    printLoaded('256 connections, hot', hot!, tps);
    printLoaded('production, 64', safe64!, tps);
    printLoaded('production, 256', safe256!, tps);
    const ratios = printChecks(checked);
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
        ...ratios,
      }),
    );
  } finally {
    await world.stop();
  }
}

type Wanted = Partial<Pick<Load, 'connections' | 'hot'>>;
const HOT: Wanted = { connections: 256, hot: true };

/** Starts one server, warms it up, and applies one load after the other. */
async function measure(
  databaseUrl: string,
  checks: Checks,
  people: Load['people'],
  loads: readonly Wanted[],
): Promise<Loaded[]> {
  const server = await startServer(databaseUrl, checks);
  const load = (wanted: Wanted, seconds: number) =>
    applyLoad({ url: server.url, people, connections: 64, hot: false, seconds: Math.ceil(seconds), ...wanted });
  await load({}, SECONDS / 4);
  const loaded: Loaded[] = [];
  for (const wanted of loads) loaded.push(await load(wanted, SECONDS));
  server.stop();
  if (loaded.some(({ refused }) => refused > 0)) throw new Error('a payment was refused or lost');
  return loaded;
}

function printLoaded(name: string, { perSecond, p50Ms, p99Ms, refused }: Loaded, tps: number): void {
  const cells = [Math.round(perSecond), round(perSecond / tps), round(p50Ms, 1), round(p99Ms, 1), refused];
  console.log(name.padEnd(26) + cells.map((cell, i) => String(cell).padStart([12, 12, 9, 9, 10][i]!)).join(''));
}

async function startServer(databaseUrl: string, checks: Checks): Promise<{ url: string; stop(): void }> {
  const child = fork(
    await buildServer(new URL('./support/p2pServer.ts', import.meta.url)),
    [databaseUrl, '0', checks],
    { execArgv: PRODUCTION_FLAGS },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}

const CHECKS = ['none', 'session', 'all'] as const satisfies readonly Checks[];
const ROUNDS = 5;

/** Gives every person a session, as a login would. */
async function logIn(db: Db, people: readonly Person[]): Promise<(Person & { accessToken: string })[]> {
  const known = people.map((person) => ({ ...person, accessToken: `fla_${randomBytes(32).toString('base64url')}` }));
  const hashes = known.map(({ accessToken }) => createHash('sha256').update(accessToken).digest());
  await db.query(
    `WITH opened AS (
       INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
       SELECT gen_random_uuid(), unnest($1::uuid[]), now(), now(), now() + interval '1 day' RETURNING session_id, user_id)
     INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
     SELECT k.hash, o.session_id, 'access', 0, now() + interval '1 day'
       FROM opened o JOIN unnest($1::uuid[], $2::bytea[]) AS k(user_id, hash) USING (user_id)`,
    [known.map(({ userId }) => userId), hashes],
  );
  await db.query('VACUUM ANALYZE sessions, session_tokens');
  return known;
}

type Checked = Record<Checks, number[]>;

/** The cost of each check, compared with none. Short alternating rounds, so that a busy machine slows all alike. */
async function measureChecks(
  databaseUrl: string,
  people: readonly (Person & { accessToken: string })[],
): Promise<Checked> {
  const rates: Checked = { none: [], session: [], all: [] };
  const servers = await Promise.all(CHECKS.map((checks) => startServer(databaseUrl, checks)));
  const seconds = Math.max(2, Math.ceil(SECONDS / ROUNDS));
  for (let nth = 0; nth <= ROUNDS; nth++) {
    for (const [i, checks] of CHECKS.entries()) {
      const known = checks === 'none' ? people.map(({ userId, username }) => ({ userId, username })) : people;
      const load = {
        url: servers[i]!.url,
        people: known,
        connections: 256,
        hot: false,
        seconds: nth === 0 ? 2 : seconds,
      };
      const { perSecond, refused } = await applyLoad(load);
      if (refused > 0) throw new Error(`with checks "${checks}" a payment was refused or lost`);
      // The first round only warms up.
      if (nth > 0) rates[checks].push(perSecond);
    }
  }
  for (const server of servers) server.stop();
  return rates;
}

function printChecks(rates: Checked): Record<string, number> {
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const against = (checks: Checks, before: Checks) =>
    median(rates[checks].map((rate, nth) => rate / rates[before][nth]!));
  const micros = (checks: Checks) => 1e6 / median(rates[checks]);
  const says = { none: 'bare, as in the sandbox', session: '+ session of the bearer', all: '+ rate limits' };
  console.log('\n256 connections           payments/s   × bare   µs per payment');
  for (const checks of CHECKS) {
    const cells = [Math.round(median(rates[checks])), round(against(checks, 'none'), 3), round(micros(checks), 1)];
    console.log(says[checks].padEnd(24) + cells.map((cell, i) => String(cell).padStart([12, 9, 17][i]!)).join(''));
  }
  return {
    session_ratio: round(against('session', 'none'), 3),
    rate_limit_ratio: round(against('all', 'session'), 3),
  };
}
