/** Broken connections never crash the processes of both APIs, the operations port or the sandbox's doubles. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { askWell, BROKEN_KINDS, breakConnections, type Target } from '../support/http/breakConnections.ts';
import { createAuthority } from '../support/http/certificate.ts';
import { operate } from '../support/operate.ts';
import { type Production, startProduction } from '../support/production.ts';
import { howMany } from '../support/run/thorough.ts';

/** Concurrent connections per port. */
const BURSTS = howMany([2], [5, 15]);
const STORM = howMany(8, 50);

const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'florin-broken-'));
const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

let plain: Production;
let tls: Production;
let doubles: Doubles;
let targets: Target[];

beforeAll(async () => {
  const certificate = authority.issue();
  const files = {
    FLORIN_TLS_CERT_FILE: write('cert.pem', certificate.cert),
    FLORIN_TLS_KEY_FILE: write('key.pem', certificate.key),
  };
  // They all come from one address, and must not be refused before they can do harm.
  const rates = { FLORIN_RATE_LIMITS: 'address=10000000, login=10000000, key=10000000' };
  [plain, tls, doubles] = await Promise.all([
    startProduction(rates),
    startProduction({ ...rates, ...files }),
    startDoubles(),
  ]);
  targets = [
    ...(await portsOf('plain', plain)),
    ...(await portsOf('TLS', tls, { authority: authority.cert })),
    ...doubles.targets,
  ];
});
afterAll(async () => {
  doubles.process.disconnect();
  await Promise.all([plain.stop(), tls.stop()]);
  rmSync(folder, { recursive: true });
});

async function portsOf(name: string, florin: Production, secured: { authority?: string } = {}): Promise<Target[]> {
  const db = openDatabase(florin.databaseUrl);
  const printed = await operate(db, 'key', 'create', 'broken', '--scope', 'send', '--any-wallet');
  await db.close();
  // Without a key the Web3 API would refuse them before it reads their bodies.
  const authorization = `Bearer ${/fsk_\S+/.exec(printed)![0]}`;
  const api = { goodPath: '/openapi.json', largePath: '/docs/viewer.js', ...secured };
  const ops = { goodPath: '/healthz', largePath: '/metrics', postPath: '/healthz' };
  return [
    { name: `${name} web3`, url: florin.web3Url, postPath: '/wallet/send-usdc', authorization, ...api },
    { name: `${name} backend`, url: florin.backendUrl, postPath: '/api/v1/login', ...api },
    { name: `${name} ops`, url: florin.opsUrl, ...ops },
  ];
}

interface Doubles {
  readonly process: ChildProcess;
  readonly targets: readonly Target[];
  log(): string;
}

async function startDoubles(): Promise<Doubles> {
  const child = spawn(process.execPath, argumentsOf('test/support/sandboxDoubles'), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += text));
  const urls = await new Promise<Record<string, string>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Record<string, string>));
    child.once('exit', () => reject(new Error(`the doubles did not start:\n${said}`)));
  });
  const paths = { goodPath: '/', largePath: '/', postPath: '/' };
  return {
    process: child,
    targets: [
      { name: 'issuer', url: urls.issuerUrl!, ...paths, postPath: '/token' },
      { name: 'KYC double', url: urls.sumsubUrl!, ...paths },
      { name: 'local chain', url: urls.chainUrl!, ...paths },
    ],
    log: () => said,
  };
}

async function expectAllWell(): Promise<void> {
  const statuses = await Promise.all(targets.map(async (target) => [target.name, await askWell(target)]));
  const alive = { plain: plain.isAlive(), tls: tls.isAlive(), doubles: doubles.process.exitCode === null };
  const logs = [plain.log(), tls.log(), doubles.log()].map((log) => log.slice(-1_500)).join('\n');
  expect(statuses, logs).toEqual(targets.map(({ name }) => [name, '200']));
  expect(alive, logs).toEqual({ plain: true, tls: true, doubles: true });
}

it.each(BROKEN_KINDS)('$kind, then a reset, crashes no process', async (kind) => {
  for (const burst of BURSTS) {
    await Promise.all(targets.map((target) => breakConnections(target, [kind], burst)));
  }
  await expectAllWell();
});

it('all of them together crash no process', async () => {
  await Promise.all(targets.map((target) => breakConnections(target, BROKEN_KINDS, STORM)));
  await expectAllWell();
});

it('the bodies of both APIs were read', async () => {
  for (const florin of [plain, tls]) {
    const text = await (await fetch(`${florin.opsUrl}/metrics`)).text();
    const statuses = (api: string) =>
      [...text.matchAll(/^florin_http_requests_total\{(.*)\} \d+$/gm)]
        .map(([, labels]) => labels!)
        .filter((labels) => labels.includes(`api="${api}"`) && labels.includes('method="POST"'))
        .map((labels) => /status="(\d+)"/.exec(labels)![1]);
    // 422: a complete body that the operation does not accept. 413: a body beyond the limit.
    expect(statuses('web3')).toEqual(expect.arrayContaining(['413', '422']));
    expect(statuses('web3')).not.toContain('401');
    expect(statuses('backend')).toContain('413');
  }
});

it('leaves no connection open that would delay a stop', async () => {
  expect(await Promise.all([plain.end(), tls.end()])).toEqual([0, 0]);
});
