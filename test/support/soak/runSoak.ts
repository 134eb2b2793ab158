/** Good traffic mixed with broken connections and slow readers, against production mode over TLS. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../server/src/db/database.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../chain/chain.ts';
import type { Target } from '../http/breakConnections.ts';
import { createAuthority } from '../http/certificate.ts';
import { operate } from '../operate.ts';
import { type Production, startProduction } from '../production.ts';
import { judgeEndOf } from '../properties/judgeEnd.ts';
import { startBadTraffic } from './badTraffic.ts';
import { type SoakPerson, startGoodTraffic } from './goodTraffic.ts';
import { postJson } from './postJson.ts';

interface Sample {
  readonly second: number;
  readonly rssMb: number;
}

interface Soaked {
  /** The number of processes (server, worker, signer) that have ended by themselves. */
  readonly crashes: number;
  readonly good: readonly { readonly what: string; readonly done: number; readonly failed: number }[];
  readonly goodFailed: number;
  readonly failures: readonly string[];
  readonly repeated: number;
  readonly bad: ReadonlyMap<string, number>;
  /** Answers that the server counted, by API and status. */
  readonly statuses: readonly { readonly api: string; readonly status: string; readonly count: number }[];
  readonly memory: readonly Sample[];
}

interface SoakOptions {
  readonly seconds: number;
  readonly sampleEverySeconds?: number;
  /** The fraction of the lingering bad clients that run; 1 means all. */
  readonly share?: number;
  readonly onSample?: (sample: Sample) => void;
}

interface LoggedIn {
  readonly access_token: string;
  readonly user: { readonly user_id: string };
  readonly wallet: { readonly address: string | null };
}

const NAMES = ['soak_ada', 'soak_bob', 'soak_cyd', 'soak_dan'];
const BLOCK_EVERY_MS = 2_000;

/** Linux answers on all of 127.0.0.0/8, so every client can have its own address. */
const goodAddress = (nth: number) => `127.0.1.${1 + nth}`;
const badAddress = (nth: number) => `127.0.2.${1 + nth}`;

export async function runSoak({ seconds, sampleEverySeconds = 10, share = 1, onSample }: SoakOptions): Promise<Soaked> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-soak-'));
  const authority = createAuthority();
  const { cert, key } = authority.issue();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const chain = await startTestChain(SEPOLIA_ID);
  const florin = await startProduction(
    { FLORIN_TLS_CERT_FILE: certFile, FLORIN_TLS_KEY_FILE: keyFile, FLORIN_LOG_LEVEL: 'error' },
    { chain },
  );
  const db = openDatabase(florin.databaseUrl);
  try {
    const people = await settle(florin, chain, authority.cert);
    const rights = ['--scope', 'read', '--scope', 'send', '--any-wallet'];
    const printed = await operate(db, 'key', 'create', 'soak', ...rights);
    const serviceKey = /fsk_\S+/.exec(printed)![0];
    const world = { florin, authority: authority.cert, people, serviceKey, addressOf: goodAddress };
    const good = startGoodTraffic(world);
    const bad = startBadTraffic(portsOf(florin, authority.cert, serviceKey), badAddress, share);
    const memory = await watch(florin, chain, seconds, sampleEverySeconds, onSample);
    const dead = florin.listDead();
    const crashes = dead.length;
    await good.stop();
    await bad.stop();
    // Processes that still run.
    const unended = crashes > 0 ? [] : await judgeEndOf({ databaseUrl: florin.databaseUrl, mine: chain.mine });
    const counts = [...good.counts].map(([what, count]) => ({ what, ...count }));
    return {
      crashes,
      good: counts,
      goodFailed: counts.reduce((sum, { failed }) => sum + failed, 0),
      failures:
        crashes > 0
          ? [...good.failures, `ended: ${dead.join(', ')}`, florin.log().slice(-2_000)]
          : [...good.failures, ...unended],
      repeated: good.repeated,
      bad: bad.counts,
      statuses: dead.includes('server') ? [] : await readStatuses(florin),
      memory,
    };
  } finally {
    await db.close();
    await florin.stop();
    await chain.stop();
    await rm(folder, { recursive: true });
  }
}

/** People who are logged in and have money. */
async function settle(florin: Production, chain: TestChain, authority: string): Promise<SoakPerson[]> {
  const people: SoakPerson[] = [];
  for (const name of NAMES) {
    const api = `${florin.backendUrl}/api/v1`;
    const logIn = async () => {
      const claims = { sub: name, jti: randomUUID(), email: `${name}@example.com`, email_verified: true };
      return postJson<LoggedIn>(`${api}/login`, authority, { id_token: await florin.issuer.sign(claims) });
    };
    const { access_token: bearer, user, wallet } = await logIn();
    // On a busy machine the signer may need longer than a login waits for it.
    let { address } = wallet;
    while (address === null) ({ address } = (await logIn()).wallet);
    const claim = { user_id: user.user_id, username: name };
    await postJson(`${api}/set_username`, authority, claim, { authorization: `Bearer ${bearer}` });
    await chain.mint(address, '1000');
    people.push({ name, userId: user.user_id, bearer });
  }
  const db = openDatabase(florin.databaseUrl);
  await chain.mineUntil(async () => {
    const rich = await db.query('SELECT 1 FROM accounts WHERE user_id IS NOT NULL AND available >= 1000000000');
    if (rich.length < NAMES.length) throw new Error('the deposits have not arrived');
  });
  await db.close();
  return people;
}

function portsOf(florin: Production, authority: string, serviceKey: string): Target[] {
  const api = { goodPath: '/openapi.json', largePath: '/docs/viewer.js', authority };
  const ops = { goodPath: '/healthz', largePath: '/metrics', postPath: '/healthz' };
  return [
    { name: 'web3', url: florin.web3Url, postPath: '/wallet/send-usdc', authorization: `Bearer ${serviceKey}`, ...api },
    { name: 'backend', url: florin.backendUrl, postPath: '/api/v1/login', ...api },
    { name: 'ops', url: florin.opsUrl, ...ops },
  ];
}

async function watch(
  florin: Production,
  chain: TestChain,
  seconds: number,
  everySeconds: number,
  onSample?: (sample: Sample) => void,
): Promise<Sample[]> {
  const memory: Sample[] = [];
  const startedMs = performance.now();
  const passed = () => (performance.now() - startedMs) / 1000;
  while (florin.isAlive() && passed() < seconds) {
    if (passed() >= memory.length * everySeconds) {
      const sample = { second: Math.round(passed()), rssMb: await readRss(florin.pids.server) };
      memory.push(sample);
      onSample?.(sample);
    }
    await chain.mine();
    await sleep(Math.min(BLOCK_EVERY_MS, everySeconds * 250));
  }
  if (florin.isAlive()) memory.push({ second: Math.round(passed()), rssMb: await readRss(florin.pids.server) });
  return memory;
}

async function readRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

async function readStatuses({ opsUrl }: Production): Promise<Soaked['statuses']> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const sums = new Map<string, number>();
  for (const [, labels, value] of text.matchAll(/^florin_http_requests_total\{(.*)\} (\d+)$/gm)) {
    const [api, status] = ['api', 'status'].map((name) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels!)?.[1] ?? '');
    sums.set(`${api} ${status}`, (sums.get(`${api} ${status}`) ?? 0) + Number(value));
  }
  return [...sums]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => ({ api: name.split(' ')[0]!, status: name.split(' ')[1]!, count }));
}
