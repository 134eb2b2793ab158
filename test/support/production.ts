/**
 * A server in production mode, in a separate process, among doubles that look like production: an OIDC issuer, Sumsub
 * and a blockchain behind TLS with a test authority that only that process trusts. A signer has the keys. With a
 * blockchain there is a worker too. No check is switched off.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningSumsub, startSumsub } from '../../sandbox/src/kyc/startSumsub.ts';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import type { TestChain } from './chain/chain.ts';
import { createTestDatabase } from './database.ts';
import { type Answer, readAnswer } from './http/answer.ts';
import { type Certificate, createCertificate } from './http/certificate.ts';
import { fetchChecked } from './http/fetchChecked.ts';
import { httpsUrlOf, startTlsIssuer, type TlsIssuer } from './http/tlsIssuer.ts';
import { startTlsProxy } from './http/tlsProxy.ts';
import { SECRET, SIGNER_TOKENS } from './values.ts';

export interface Production {
  readonly web3Url: string;
  readonly backendUrl: string;
  /** Undefined unless FLORIN_WALLET_PORT is given. */
  readonly walletUrl: string | undefined;
  readonly opsUrl: string;
  readonly databaseUrl: string;
  readonly sumsub: RunningSumsub;
  readonly issuer: TlsIssuer;
  /** A second trusted issuer, which tries to abuse that trust. */
  readonly rogue: TlsIssuer;
  /** The test authority, which only the server process trusts. */
  readonly certificate: Certificate;
  /** Returns the log of the process. */
  log(): string;
  /** Whether the server's process still runs. */
  isAlive(): boolean;
  /** Which of server, signer and worker are not running. */
  listDead(): string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Starts another server on the same database. `end` asks it to end, and returns its exit code. */
  startAnother(env?: Record<string, string>): Promise<Urls & { end(): Promise<number | null> }>;
  /** Asks the server process to end; returns its exit code. */
  end(): Promise<number | null>;
  /** Closes the reader of the server's log. */
  closeLog(): void;
  /** Sends a signal to the server process. */
  signal(name: NodeJS.Signals): void;
  /** The processes that were started first. */
  readonly pids: { readonly server: number; readonly signer: number; readonly worker: number | undefined };
  /** The folder that contains the seed file and the signer's sockets. */
  readonly folder: string;
  endSigner(how?: NodeJS.Signals): Promise<void>;
  /** Starts the signer with these additional variables; returns its process id. */
  startSigner(env?: Record<string, string>): Promise<number>;
  /** Starts a second signer; the returned function stops it. */
  startBeside(env: Record<string, string>): Promise<() => Promise<void>>;
  signalSigner(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const KEYS = { appToken: 'prd:made-for-tests', secretKey: 'k1', webhookSecret: 'k2', level: 'basic-kyc-level' };
const GRACE_MS = 120_000;

export async function startProduction(
  env: Record<string, string> = {},
  {
    chain,
    reach,
    reachStandbys,
    output = 'pipe',
  }: {
    readonly chain?: TestChain;
    readonly reach?: (databaseUrl: string, program: Program) => Promise<string>;
    /** Servers read at standbys. */
    readonly reachStandbys?: (databaseUrl: string) => string;
    /** Where the server's log goes; `log` is empty then. */
    readonly output?: 'pipe' | number;
  } = {},
): Promise<Production> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-production-'));
  const certificate = createCertificate();
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, certificate.cert);
  await createSeedFile(join(folder, 'wallet-seed.json'), SECRET);
  const database = await createTestDatabase();
  const loginOf = async (login: Program) => {
    const url = database.urlOf(login);
    return reach ? reach(url, login) : url;
  };
  const [issuer, rogue] = await Promise.all([startTlsIssuer(certificate), startTlsIssuer(certificate)]);
  // Servers request keys when they start; this one has none until a test provides an address.
  rogue.jwksUri = `${rogue.url}/none`;
  const sumsub = await startSumsub(KEYS);
  const sumsubProxy = await startTlsProxy(certificate, sumsub.url);
  const chainProxy = chain && (await startTlsProxy(certificate, chain.url));
  await chain?.fuel(join(folder, 'wallet-seed.json'), SECRET);
  let said = '';
  const children: ChildProcess[] = [];
  const chains = chainProxy && {
    FLORIN_CHAINS: JSON.stringify([{ blockchain: 'ETH-SEPOLIA', rpc_urls: [httpsUrlOf(chainProxy)] }]),
  };
  const signerUrl = `unix:${join(folder, 'signer.sock')}`;
  const secondUrl = `unix:${join(folder, 'signer2.sock')}`;
  const signerEnv = {
    FLORIN_SIGNER_URL: signerUrl,
    FLORIN_SIGNER_TOKENS: `server=${SIGNER_TOKENS.server}, worker=${SIGNER_TOKENS.worker}`,
    FLORIN_WALLET_SEED_FILE: join(folder, 'wallet-seed.json'),
    FLORIN_WALLET_SECRET: SECRET,
    FLORIN_SIGNER_OPS_PORT: '0',
    FLORIN_SIGNER_LIMITS: 'none',
    ...chains,
  };
  const callerEnv = {
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    FLORIN_WORKER_OPS_PORT: '0',
    FLORIN_LOOK_SECONDS: '1',
    // The second exists while the first is being replaced.
    FLORIN_SIGNER_URL: `${signerUrl}, ${secondUrl}`,
    FLORIN_OIDC_ISSUERS: JSON.stringify([issuer, rogue].map(({ url }) => ({ issuer: url, audience: 'florin' }))),
    FLORIN_SUMSUB_URL: httpsUrlOf(sumsubProxy),
    FLORIN_SUMSUB_APP_TOKEN: KEYS.appToken,
    FLORIN_SUMSUB_SECRET_KEY: KEYS.secretKey,
    FLORIN_SUMSUB_WEBHOOK_SECRET: KEYS.webhookSecret,
    ...chains,
  };
  const launch = async (program: Program, own: Record<string, string> = {}): Promise<Started> => {
    const child = spawn(process.execPath, [...argumentsOf('server/src/bin/florin'), program], {
      stdio: ['ignore', program === 'server' ? output : 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        NODE_EXTRA_CA_CERTS: authority,
        DATABASE_URL: await loginOf(program),
        ...(program === 'server' &&
          reachStandbys && { FLORIN_DATABASE_READ_URL: reachStandbys(database.urlOf('server')) }),
        ...(program === 'signer' ? signerEnv : { ...callerEnv, FLORIN_SIGNER_TOKEN: SIGNER_TOKENS[program], ...env }),
        ...own,
      },
    });
    children.push(child);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text));
    return { child, urls: await ready(child, () => said) };
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => end(child)));
    await Promise.all([
      sumsub.stop(),
      close(sumsubProxy),
      chainProxy && close(chainProxy),
      issuer.stop(),
      rogue.stop(),
    ]);
    await database.drop();
    await rm(folder, { recursive: true });
  };
  const launchAll = async () => {
    const [signer, server] = await Promise.all([launch('signer'), launch('server')]);
    return { first: signer, server, worker: chain && (await launch('worker')) };
  };
  const { first, server, worker } = await launchAll().catch(async (error) => {
    await stop();
    throw error;
  });
  let signer = first;
  const { urls } = server;
  sumsub.setWebhookUrl(`${urls.backend_url}/webhooks/sumsub`);

  return {
    web3Url: urls.web3_url,
    backendUrl: urls.backend_url,
    walletUrl: urls.wallet_url,
    opsUrl: urls.ops_url,
    databaseUrl: database.url,
    sumsub,
    issuer,
    rogue,
    certificate,
    log: () => said,
    isAlive: () => isRunning(server.child),
    listDead: () =>
      Object.entries({ server, signer, worker }).flatMap(([name, one]) => (one && !isRunning(one.child) ? [name] : [])),
    async call(method, path, body, headers = {}) {
      const base = /^\/(api|webhooks)\//.test(path) ? urls.backend_url : urls.web3_url;
      const response = await fetchChecked(base + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return readAnswer(response);
    },
    async startAnother(own) {
      const { child, urls: others } = await launch('server', own);
      return {
        ...others,
        async end() {
          await end(child);
          return child.exitCode;
        },
      };
    },
    async end() {
      await end(server.child);
      return server.child.exitCode;
    },
    closeLog: () => void server.child.stdout?.destroy(),
    signal: (name) => server.child.kill(name),
    pids: { server: server.child.pid!, signer: first.child.pid!, worker: worker?.child.pid },
    folder,
    async endSigner(name = 'SIGTERM') {
      await end(signer.child, name);
    },
    async startSigner(own) {
      signer = await launch('signer', own);
      return signer.child.pid!;
    },
    async startBeside(own) {
      const { child } = await launch('signer', own);
      return async () => void (await end(child));
    },
    signalSigner: (name) => void signer.child.kill(name),
    stop,
  };
}

type Program = 'server' | 'worker' | 'signer';

interface Started {
  readonly child: ChildProcess;
  readonly urls: Urls;
}

interface Urls {
  readonly web3_url: string;
  readonly backend_url: string;
  readonly wallet_url?: string;
  readonly ops_url: string;
}

const ready = (child: ChildProcess, said: () => string): Promise<Urls> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server is not ready:\n${said()}`)), GRACE_MS);
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve(message as Urls);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said()}`)));
  });

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const end = (child: ChildProcess, how: NodeJS.Signals = 'SIGTERM'): Promise<unknown> => {
  if (!isRunning(child)) return Promise.resolve();
  const gone = new Promise((done) => child.once('exit', done));
  child.kill(how);
  return gone;
};

const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
