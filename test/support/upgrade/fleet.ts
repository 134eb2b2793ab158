/**
 * Processes of two releases on one database: servers, workers and, where the release has one, a signer. Their outside
 * looks like production: an issuer and a blockchain behind TLS with an authority that only they trust. No check is
 * switched off.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogin } from '../../../sandbox/src/createLogin.ts';
import { argumentsOf } from '../../../sandbox/src/processes.ts';
import { createSeedFile } from '../../../server/src/adapters/wallets/local/seedFile.ts';
import { ROLES } from '../../../server/src/db/roles.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../chain/chain.ts';
import { liftLimits, runAsAdmin } from '../database.ts';
import { createCertificate } from '../http/certificate.ts';
import { httpsUrlOf, startTlsIssuer, type TlsIssuer } from '../http/tlsIssuer.ts';
import { startTlsProxy } from '../http/tlsProxy.ts';
import { SECRET, SIGNER_TOKENS } from '../values.ts';
import type { Release } from './previousRelease.ts';

const GRACE_MS = 120_000;
const LOGINS = ['server', 'worker', 'signer', 'operator'] as const;
type Login = (typeof LOGINS)[number];
export type Program = 'server' | 'worker' | 'signer';

export type Build = 'old' | 'new';

export interface RunningProcess {
  readonly build: Build;
  readonly pid: number;
  readonly urls: { readonly web3_url: string; readonly backend_url: string };
  /** Asks it to end. Returns its output if it does not end cleanly. */
  end(): Promise<string | undefined>;
  /** kill -9. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves to its last output when it has ended, for whatever reason. */
  readonly ended: Promise<string>;
}

export interface Fleet {
  readonly chain: TestChain;
  readonly issuer: TlsIssuer;
  /** A URL with all rights. */
  readonly adminUrl: string;
  /** Of the blockchain, over TLS. */
  readonly nodeUrl: string;
  /** The URL of the database for this program. */
  urlOf(program: Program): string;
  /** With these variables instead of the usual ones. */
  start(build: Build, program: Program, env?: Record<string, string>): Promise<RunningProcess>;
  /** Runs a command to its end; returns its output. */
  run(build: Build, program: 'migrate' | 'keys', ...words: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** `ETH-SEPOLIA` at this node, as the value of `FLORIN_CHAINS`. */
export const chainsAt = (nodeUrl: string): string =>
  JSON.stringify([{ blockchain: 'ETH-SEPOLIA', rpc_urls: [nodeUrl] }]);

/** On a database that the previous release created. */
export async function openFleet(previous: Release): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-upgrade-'));
  const name = `florin_upgrade_${randomBytes(4).toString('hex')}`;
  const certificate = createCertificate();
  const authority = join(folder, 'authority.pem');
  const seedFile = join(folder, 'wallet-seed.json');
  await writeFile(authority, certificate.cert);
  await createSeedFile(seedFile, SECRET);
  const [chain, issuer] = await Promise.all([startTestChain(SEPOLIA_ID), startTlsIssuer(certificate)]);
  await chain.fuel(seedFile, SECRET);
  const chainProxy = await startTlsProxy(certificate, chain.url);
  await runAsAdmin(`CREATE DATABASE ${name}`);
  const admin = new URL(process.env.FLORIN_TEST_DATABASE_URL!);
  admin.pathname = `/${name}`;
  const logins = new Map<Login, string>();
  const running = new Set<ChildProcess>();

  const seed = { FLORIN_WALLET_SEED_FILE: seedFile, FLORIN_WALLET_SECRET: SECRET };
  const signerUrl = `unix:${join(folder, 'signer.sock')}`;
  const shared = {
    PATH: process.env.PATH,
    NODE_EXTRA_CA_CERTS: authority,
    FLORIN_LOG_LEVEL: 'warn',
    FLORIN_CHAINS: chainsAt(httpsUrlOf(chainProxy)),
  };
  const calling = {
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    // No one logs in again, however slow the machine is.
    FLORIN_ACCESS_TOKEN_SECONDS: '86400',
    FLORIN_OPS_PORT: '0',
    FLORIN_OIDC_ISSUERS: JSON.stringify([{ issuer: issuer.url, audience: 'florin' }]),
    FLORIN_RATE_LIMITS: 'address=1000000, login=1000, user=1000000, key=1000000, kyc=10',
  };
  function environmentOf(build: Build, program: Program): Record<string, string | undefined> {
    const own = { ...shared, DATABASE_URL: logins.get(program) };
    if (build === 'old' && !previous.hasSigner) return { ...own, ...calling, ...seed };
    if (program === 'signer')
      return {
        ...own,
        ...seed,
        FLORIN_SIGNER_URL: signerUrl,
        FLORIN_SIGNER_TOKENS: `server=${SIGNER_TOKENS.server}, worker=${SIGNER_TOKENS.worker}`,
        FLORIN_SIGNER_LIMITS: 'none',
        FLORIN_SIGNER_OPS_PORT: '0',
      };
    return {
      ...own,
      ...calling,
      FLORIN_WORKER_OPS_PORT: '0',
      FLORIN_SIGNER_URL: signerUrl,
      FLORIN_SIGNER_TOKEN: SIGNER_TOKENS[program],
    };
  }

  async function start(build: Build, program: Program, own: Record<string, string> = {}): Promise<RunningProcess> {
    const words = build === 'old' ? previous.argumentsOf(program) : [...argumentsOf('server/src/bin/florin'), program];
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...environmentOf(build, program), ...own } as NodeJS.ProcessEnv,
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let said = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text) => (said = (said + text).slice(-8_000)));
    const urls = await new Promise<RunningProcess['urls']>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`the ${build} ${program} is not ready:\n${said}`)), GRACE_MS);
      child.once('message', (message) => done(message as RunningProcess['urls']));
      child.once('exit', (code) => fail(new Error(`the ${build} ${program} ended with ${code}:\n${said}`)));
      for (const event of ['message', 'exit']) child.once(event, () => clearTimeout(timer));
    });
    const ended = new Promise<string>((done) => child.once('exit', () => done(said)));
    return {
      build,
      pid: child.pid!,
      urls,
      ended,
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
      async end() {
        const code = await end(child);
        return code === 0 ? undefined : `the ${build} ${program} ended with ${code}:\n${said}`;
      },
    };
  }

  async function end(child: ChildProcess): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await gone;
    }
    return child.exitCode;
  }

  async function run(build: Build, program: 'migrate' | 'keys', ...words: string[]): Promise<string> {
    const noun = program === 'keys' ? 'key' : program;
    const given = build === 'old' ? previous.argumentsOf(program) : [...argumentsOf('server/src/bin/florin'), noun];
    const login =
      program === 'migrate' ? { FLORIN_OWNER_DATABASE_URL: admin.href } : { DATABASE_URL: logins.get('operator') };
    const env = { PATH: process.env.PATH, ...login };
    return (await promisify(execFile)(process.execPath, [...given, ...words], { env })).stdout;
  }

  async function stop(): Promise<void> {
    await Promise.all([...running].map(end));
    await new Promise<void>((done) => {
      chainProxy.close(() => done());
      chainProxy.closeAllConnections();
    });
    await Promise.all([issuer.stop(), chain.stop()]);
    await runAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    for (const login of LOGINS) await runAsAdmin(`DROP ROLE IF EXISTS ${name}_${login}_login`);
    for (const role of ROLES) await runAsAdmin(`DROP ROLE IF EXISTS ${name}_${role}`);
    await rm(folder, { recursive: true });
  }

  try {
    await run('old', 'migrate');
    await liftLimits(admin.href);
    for (const role of LOGINS)
      logins.set(role, await createLogin(admin.href, { name: `${role}_login`, roles: [role] }));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    chain,
    issuer,
    nodeUrl: httpsUrlOf(chainProxy),
    adminUrl: admin.href,
    urlOf: (program) => logins.get(program)!,
    start,
    run,
    stop,
  };
}
