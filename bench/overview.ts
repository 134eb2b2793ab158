/**
 * The overview of our own wallets over HTTP, with a million ledger rows, against a bare Fastify handler that returns a
 * constant of the same size. Every request is for another of 10,000 wallets. The rounds alternate, so that a busy
 * machine slows both alike. No request may reach a chain, which is counted.
 */
import { execFile, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Db } from '../server/src/db/database.ts';
import { openAsset } from '../server/src/ledger/accounts.ts';
import { hasWrk } from './load/runWrk.ts';
import { buildServer } from './support/buildServer.ts';
import { finish } from './support/finish.ts';
import { fillHistory, openHistory } from './support/historyRows.ts';
import { createPeople, median, round, SECONDS } from './support/ledgerWorld.ts';
import { isShort, sized } from './support/short.ts';
import { startBenchPostgres } from './support/startBenchPostgres.ts';
import { compileServer } from './support/startBuiltServer.ts';

const PEOPLE = sized(10_000, 100);
const ROWS = sized(1_000_000, 1_000);
const CONNECTIONS = 64;
const ROUNDS = sized(5, 1);
const SECONDS_EACH = Math.max(1, Math.ceil(SECONDS / 6));
const PATH = '/subgraph/wallet-overview?address=';

interface Loaded {
  readonly perSecond: number;
  readonly p99Ms: number;
}

export default async function benchOverview(): Promise<void> {
  await compileServer();
  const folder = mkdtempSync(join(tmpdir(), 'florin-bench-'));
  const postgres = await startBenchPostgres();
  const stops: (() => void)[] = [];
  try {
    const { databaseUrl, db } = await postgres.createDatabase('florin');
    const addresses = await fill(db);

    let chainCalls = 0;
    const overview = await startServer(['overview', databaseUrl], () => {
      chainCalls++;
    });
    stops.push(overview.stop);
    const example = await (await fetch(overview.url + PATH + addresses[0])).text();
    const bare = await startServer(['bare', '', example], () => {});
    stops.push(bare.stop);
    console.log(`One answer has ${example.length} bytes. Driven by ${hasWrk() ? 'wrk' : 'autocannon'}.`);

    const scriptFile = join(folder, 'overview.lua');
    writeFileSync(scriptFile, wrkScript(addresses));
    const load = (url: string, seconds: number) =>
      hasWrk() ? runWrk(url, scriptFile, seconds) : runAutocannon(url, addresses, seconds);
    if (!isShort) for (const { url } of [bare, overview]) await load(url, 3);
    const rounds: [Loaded, Loaded][] = [];
    for (let i = 0; i < ROUNDS; i++)
      rounds.push([await load(bare.url, SECONDS_EACH), await load(overview.url, SECONDS_EACH)]);
    if (chainCalls > 0) throw new Error(`${chainCalls} calls reached a chain`);

    console.log('round   bare/s   overview/s   ratio   p99 ms');
    rounds.forEach(([{ perSecond: yardstick }, { perSecond, p99Ms }], i) => {
      const cells = [
        i + 1,
        Math.round(yardstick),
        Math.round(perSecond),
        round(perSecond / yardstick),
        round(p99Ms, 1),
      ];
      console.log(cells.map((cell, at) => String(cell).padStart([5, 9, 13, 8, 9][at]!)).join(''));
    });
    const ratio = median(rounds.map(([yardstick, measured]) => measured.perSecond / yardstick.perSecond));
    const p99Ms = median(rounds.map(([, measured]) => measured.p99Ms));
    finish('overview', { ratio_64: round(ratio), p99_ms_64: round(p99Ms, 1) });
  } finally {
    for (const stop of stops) stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** People with wallets and warm balances, and a ledger with its rows. */
async function fill(db: Db): Promise<string[]> {
  const people = await createPeople(db, PEOPLE);
  const addresses = people.map(({ userId }) => `0x${createHash('sha256').update(userId).digest('hex').slice(0, 40)}`);
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     SELECT gen_random_uuid(), 'user', p.user_id, 'local', p.address, p.address
       FROM unnest($1::uuid[], $2::text[]) AS p(user_id, address)`,
    [people.map(({ userId }) => userId), addresses],
  );
  for (const blockchain of ['ETH-SEPOLIA', 'BASE-SEPOLIA']) await openAsset(db, blockchain, 'USDC');
  await db.query(
    `INSERT INTO chain_heads SELECT network_id, 7812345, '0x00', now(), now() + interval '1 hour', 7812342 FROM networks`,
  );
  await db.query(
    `INSERT INTO onchain_balances SELECT wallet_id, asset_id, 1000000123456, 0, 7812345 FROM wallets, assets`,
  );
  await db.query(
    `INSERT INTO rates SELECT pair, '1.08650001', now(), 86400, 'chainlink:ETH-SEPOLIA'
       FROM unnest(ARRAY['USDC/USD', 'ETH/USD', 'EUR/USD']) pair`,
  );
  await fillHistory(db, await openHistory(db, people[0]!.userId), ROWS);
  await db.query('VACUUM ANALYZE');
  const [counted] = await db.query<{ count: bigint }>('SELECT count(*) FROM transfers');
  console.log(`${counted!.count} ledger rows, ${PEOPLE} wallets on two blockchains.`);
  return addresses;
}

async function startServer(args: string[], onChainCall: () => void): Promise<{ url: string; stop(): void }> {
  const built = await buildServer(new URL('./support/overviewServer.ts', import.meta.url));
  const child = fork(built.file, args, { execArgv: built.execArgv });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  child.on('message', onChainCall);
  return { url, stop: () => child.kill() };
}

const wrkScript = (addresses: readonly string[]): string => `
local paths = {${addresses.map((address) => `'${PATH}${address}'`).join(',')}}
local at = 0
function request()
  at = at % #paths + 1
  return wrk.format('GET', paths[at])
end
function done(summary, latency)
  local e = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"p99":%d,"failed":%d}', summary.requests, summary.duration,
    latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout))
end
`;

async function runWrk(url: string, scriptFile: string, seconds: number): Promise<Loaded> {
  const args = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '-s', scriptFile, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null');
  if (!result || result.failed > 0) throw new Error(`not every request was answered:\n${stdout}`);
  return { perSecond: result.requests / (result.micros / 1e6), p99Ms: result.p99 / 1_000 };
}

async function runAutocannon(url: string, addresses: readonly string[], seconds: number): Promise<Loaded> {
  let at = 0;
  const setupRequest = (request: Record<string, unknown>) => ({
    ...request,
    path: PATH + addresses[at++ % addresses.length],
  });
  const options = { url, method: 'GET', headers: {}, body: '', connections: CONNECTIONS, duration: seconds };
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  if (result.non2xx + result.errors > 0) throw new Error('not every request was answered');
  return { perSecond: result['2xx'] / result.duration, p99Ms: result.latency.p99 };
}
