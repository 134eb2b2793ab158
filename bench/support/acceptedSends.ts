/**
 * Measures how many sends to addresses one server accepts per second over HTTP: the built server of production, in
 * production mode, every request with the service key, its own Idempotency-Key, another sender and a new destination.
 * No worker runs, so nothing is relayed; the token's blacklist was read before. Compared with pgbench on the same
 * PostgreSQL, with 8 clients and with the best of 8, 32 and 64.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RunningChains, startChains } from '../../sandbox/src/chain/startChains.ts';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { blockchains } from '../../server/src/adapters/chain/blockchains.ts';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import { openNetwork } from '../../server/src/custody/network.ts';
import { keepEverBlacklisted } from '../../server/src/custody/watch/everBlacklisted.ts';
import { ANY_WALLET } from '../../server/src/customers/keys/keyRules.ts';
import { createServiceKey } from '../../server/src/customers/keys/serviceKeys.ts';
import type { Db } from '../../server/src/db/database.ts';
import { createCertificate } from '../../test/support/http/certificate.ts';
import { startTlsProxy } from '../../test/support/http/tlsProxy.ts';
import { applySendLoad } from '../load/sendLoad.ts';
import { createPeople, HOME, openWorld, type Person, proveBooks, round, SECONDS } from './ledgerWorld.ts';
import { isShort, sized } from './short.ts';
import { findServer } from './startBuiltServer.ts';
import { measureCommitMs } from './yardsticks/commitLatency.ts';
import { readCpuSeconds } from './yardsticks/cpuSeconds.ts';
import { type Cpu, measureCpu, type Parties, renderCpu } from './yardsticks/measureCpu.ts';
import { meanRates } from './yardsticks/pgbench.ts';

const PEOPLE = sized(1_000, 50);
const CONNECTIONS = 64;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The chain id of the real ETH-SEPOLIA: production accepts no other under that name. */
const CHAIN_ID = 11_155_111;

interface Accepted {
  readonly accepted_ratio: number;
  readonly accepted_best_ratio: number;
  readonly accepted_64_rps: number;
  readonly accepted_cpu_us: Cpu;
  readonly pgbench_tps: number;
  readonly pgbench_best_tps: number;
  readonly commit_ms: number;
}

export async function measureAcceptedSends(): Promise<Accepted> {
  if (!isShort) await promisify(execFile)('npm', ['run', 'build'], { cwd: ROOT });
  const folder = mkdtempSync(join(tmpdir(), 'florin-accepted-'));
  const world = await openWorld();
  const chains = await startChains({ labels: [HOME], chainIds: { [HOME]: CHAIN_ID } });
  try {
    const { databaseUrl, db } = await world.createDatabase('accepted');
    const people = await createPeople(db, PEOPLE);
    await giveWallets(db);
    const { key } = await db.tx((tx) => createServiceKey(tx, { name: 'bench', scopes: ['send'], rules: ANY_WALLET }));
    const commitMs = await measureCommitMs(world.folder);
    const before = await world.pgbench.compare(SECONDS / 3);
    await readBlacklist(db, chains);
    const loaded = await withServer({ folder, databaseUrl, chains }, ({ url, pid }) =>
      load({ url, key, people }, { node: () => readCpuSeconds(pid), postgres: world.readCpuSeconds }),
    );
    const { tps, best } = meanRates(before, await world.pgbench.compare(SECONDS / 3));
    await proveAccepted(db, loaded.accepted);
    console.table([
      { what: 'accepted at 64 connections', value: `${Math.round(loaded.perSecond)} sends/s` },
      { what: 'against pgbench with 8 clients', value: round(loaded.perSecond / tps) },
      { what: 'against the best of 8, 32 and 64', value: round(loaded.perSecond / best) },
      { what: 'p50, p99', value: `${round(loaded.p50Ms, 1)} ms, ${round(loaded.p99Ms, 1)} ms` },
      { what: 'µs of Node, PostgreSQL, load', value: renderCpu(loaded.cpu).trim() },
    ]);
    return {
      accepted_ratio: round(loaded.perSecond / tps),
      accepted_best_ratio: round(loaded.perSecond / best),
      accepted_64_rps: Math.round(loaded.perSecond),
      accepted_cpu_us: loaded.cpu,
      pgbench_tps: Math.round(tps),
      pgbench_best_tps: Math.round(best),
      commit_ms: commitMs,
    };
  } finally {
    await chains.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Callers {
  readonly url: string;
  readonly key: string;
  readonly people: readonly Person[];
}

async function load({ url, key, people }: Callers, parties: Parties) {
  const wanted = { url, key, usernames: people.map(({ username }) => username), connections: CONNECTIONS };
  const warm = await applySendLoad({ ...wanted, seconds: Math.ceil(SECONDS / 4) });
  const { result: loaded, cpu } = await measureCpu(
    parties,
    () => applySendLoad({ ...wanted, seconds: SECONDS }),
    ({ requests }) => requests,
  );
  if (warm.refused + loaded.refused > 0) throw new Error(`${loaded.refused} sends were refused or lost`);
  return { ...loaded, cpu, accepted: warm.requests + loaded.requests };
}

/** Everyone gets a wallet, as a login would make it. Nothing is signed here, so the addresses need no keys. */
async function giveWallets(db: Db): Promise<void> {
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     SELECT gen_random_uuid(), 'user', user_id, 'local', 'bench ' || user_id,
            '0x' || left(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 40) FROM users`,
  );
  await db.query('VACUUM ANALYZE wallets');
}

/** Reads the blacklist, as a worker's job does. */
async function readBlacklist(db: Db, { chains: [running] }: RunningChains): Promise<void> {
  const { usdcAddress: contract, finality } = blockchains[HOME]!;
  const tokens = [{ symbol: 'USDC', decimals: 6, contract }];
  const chain = viemChain({ blockchain: HOME, chainId: CHAIN_ID, tokens, finality, rpcUrls: [running!.rpc_url] });
  const network = await openNetwork(db, chain);
  while (await keepEverBlacklisted(db, network));
}

/**
 * Every answered send is stored: a hold, a payment, an event, a job and a stored answer for each; and the books
 * balance.
 */
async function proveAccepted(db: Db, answered: number): Promise<void> {
  const [counts] = await db.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM transfers WHERE kind = 'hold') AS holds,
            (SELECT count(*)::int FROM payments WHERE state = 'INITIATED') AS payments,
            (SELECT count(*)::int FROM payment_events) AS events, (SELECT count(*)::int FROM jobs) AS jobs,
            (SELECT count(*)::int FROM idempotency_records WHERE answer IS NOT NULL) AS answers`,
  );
  const found = new Set(Object.values(counts!));
  // When wrk stops, each connection may have one more request in flight, whose answer it does not count.
  const extra = counts!.holds! - answered;
  if (found.size !== 1 || extra < 0 || extra > 2 * CONNECTIONS) {
    throw new Error(`${answered} sends were answered, and the database has ${JSON.stringify(counts)}`);
  }
  await proveBooks(db);
}

interface Surroundings {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly chains: RunningChains;
}

async function withServer<T>(
  { folder, databaseUrl, chains }: Surroundings,
  use: (server: { readonly url: string; readonly pid: number }) => Promise<T>,
): Promise<T> {
  const certificate = createCertificate();
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate.cert);
  // Production connects to nodes over TLS only.
  const node = await startTlsProxy(certificate, chains.chains[0]!.rpc_url);
  const rpcUrl = `https://localhost:${(node.address() as AddressInfo).port}`;
  const { file, execArgv } = findServer();
  const server = fork(file, ['server'], {
    execArgv,
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: authority,
      FLORIN_WEB3_PORT: '0',
      FLORIN_BACKEND_PORT: '0',
      FLORIN_OPS_PORT: '0',
      DATABASE_URL: await createLogin(databaseUrl, { name: 'api', roles: ['server'] }),
      FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
      // No one logs in for the first time, and nothing is signed.
      FLORIN_SIGNER_URL: `unix:${join(folder, 'no-signer.sock')}`,
      FLORIN_SIGNER_TOKEN: randomBytes(32).toString('base64'),
      FLORIN_CHAINS: JSON.stringify([{ blockchain: HOME, rpc_urls: [rpcUrl] }]),
      // One key and one address make all calls here.
      FLORIN_RATE_LIMITS: 'address=99999999,key=99999999',
      FLORIN_LOG_LEVEL: 'warn',
    },
  });
  try {
    return await use({ url: await ready(server), pid: server.pid! });
  } finally {
    const gone = new Promise((done) => server.once('exit', done));
    if (server.exitCode === null && server.kill('SIGTERM')) await gone;
    node.close();
    node.closeAllConnections();
  }
}

const ready = (server: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('message', (message: { web3_url: string }) => resolve(message.web3_url));
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
