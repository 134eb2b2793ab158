/** A whole server in this process: its own database, a real issuer, real sockets. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIssuer, startIssuer } from '../../sandbox/src/issuer/startIssuer.ts';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { readConfig, readSigner } from '../../server/src/bin/config/config.ts';
import { createLogger } from '../../server/src/bin/logger.ts';
import type { Running } from '../../server/src/bin/runProcess.ts';
import { startServer } from '../../server/src/bin/startServer.ts';
import { startSigner } from '../../server/src/bin/startSigner.ts';
import { startWorker } from '../../server/src/bin/startWorker.ts';
import { createTestDatabase } from './database.ts';
import { type Answer, readAnswer } from './http/answer.ts';
import { fetchChecked } from './http/fetchChecked.ts';
import { SECRET, SIGNER_TOKENS } from './values.ts';

export interface TestServer {
  readonly web3Url: string;
  readonly backendUrl: string;
  readonly opsUrl: string;
  readonly signerOpsUrl: string;
  readonly databaseUrl: string;
  readonly issuer: RunningIssuer;
  readonly logLines: string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Logs a person in with an ID token of the issuer. */
  logIn(email: string): Promise<Answer>;
  readonly seedFile: string;
  /** A worker beside the APIs, in this process too. */
  startWorker(): Promise<TestWorker>;
  stopSigner(): Promise<void>;
  /** Does the same as SIGHUP. */
  reload(): void;
  /** Does what a second process would do when it starts on the same database. */
  prepareAgain(): Promise<void>;
  stop(): Promise<void>;
}

interface TestWorker {
  readonly opsUrl: string;
  readonly logLines: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts a whole server in this process. With `reach`, a test can put a proxy between server and database; then this
 * function does not wait for the server.
 */
export async function startTestServer(
  env: Record<string, string> = {},
  reach?: (databaseUrl: string) => Promise<string>,
  /** In addition to the issuer that people log in with. */
  issuers: readonly { readonly issuer: string; readonly audience: string }[] = [],
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-server-'));
  // The seed file has its own folder, because production refuses a seed file in the folder of the issuer's key.
  const seedFile = join(folder, 'wallets', 'wallet-seed.json');
  await mkdir(join(folder, 'wallets'));
  const database = await createTestDatabase();
  const issuer = await startIssuer({
    keyFile: join(folder, 'issuer-key.json'),
    redirectUris: ['http://127.0.0.1/callback'],
  });
  await createSeedFile(seedFile, SECRET);
  const logLines: string[] = [];
  const config = readConfig({
    FLORIN_MODE: 'sandbox',
    FLORIN_WEB3_PORT: '0',
    FLORIN_BACKEND_PORT: '0',
    FLORIN_OPS_PORT: '0',
    FLORIN_WORKER_OPS_PORT: '0',
    FLORIN_LOOK_SECONDS: '1',
    DATABASE_URL: reach ? await reach(database.urlOf('server')) : database.urlOf('server'),
    FLORIN_OIDC_ISSUERS: JSON.stringify([
      { issuer: issuer.issuerUrl, audience: 'florin-wallet', identity: 'florin-sandbox' },
      ...issuers,
    ]),
    FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
    FLORIN_SIGNER_TOKEN: SIGNER_TOKENS.server,
    FLORIN_LOG_LEVEL: 'debug',
    ...env,
  });
  // The settings that the modes share; a signer has no use for the others.
  const { FLORIN_CHAINS: chains = '[]', FLORIN_MODE: mode = 'sandbox' } = env;
  const signer = await startSigner(
    readSigner({
      FLORIN_MODE: mode,
      DATABASE_URL: database.urlOf('signer'),
      FLORIN_SIGNER_URL: `unix:${join(folder, 'signer.sock')}`,
      FLORIN_SIGNER_TOKENS: `server=${SIGNER_TOKENS.server}, worker=${SIGNER_TOKENS.worker}`,
      FLORIN_WALLET_SEED_FILE: seedFile,
      FLORIN_WALLET_SECRET: SECRET,
      FLORIN_SIGNER_OPS_PORT: '0',
      FLORIN_SIGNER_LIMITS: 'none',
      FLORIN_CHAINS: chains,
      ...(env.FLORIN_HOME_BLOCKCHAIN && { FLORIN_HOME_BLOCKCHAIN: env.FLORIN_HOME_BLOCKCHAIN }),
    }),
    createLogger('silent'),
  );
  await signer.prepared;
  const server = await startServer(
    config,
    createLogger(config.logLevel, { write: (line) => void logLines.push(line) }),
  );
  if (!reach) await server.prepared;
  const workers = new Set<Running>();
  let isSignerStopped = false;
  const { web3_url: web3Url, backend_url: backendUrl, ops_url: opsUrl } = server.facts;

  const call: TestServer['call'] = async (method, path, body, headers = {}) => {
    const base = /^\/(api|webhooks)\//.test(path) ? backendUrl : web3Url;
    const response = await fetchChecked(base + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return readAnswer(response);
  };
  return {
    web3Url,
    backendUrl,
    opsUrl,
    signerOpsUrl: String(signer.facts.ops_url),
    databaseUrl: database.url,
    issuer,
    logLines,
    call,
    async logIn(email) {
      const idToken = await (await fetch(`${issuer.issuerUrl}/id_token?email=${encodeURIComponent(email)}`)).text();
      const login = await call('POST', '/api/v1/login', { id_token: idToken });
      // On a busy machine the signer may need longer than a login waits for it.
      for (let wallet = login.body.wallet; wallet?.address === null; login.body.wallet = wallet)
        ({ wallet } = (await call('POST', '/api/v1/login', { id_token: idToken })).body);
      return login;
    },
    seedFile,
    async startWorker() {
      const lines: string[] = [];
      const worker = await startWorker(
        {
          ...config,
          databaseUrl: database.urlOf('worker'),
          signer: { ...config.signer, token: SIGNER_TOKENS.worker },
        },
        createLogger(config.logLevel, { write: (line) => void lines.push(line) }),
      );
      workers.add(worker);
      await worker.prepared;
      return {
        opsUrl: String(worker.facts.ops_url),
        logLines: lines,
        async stop() {
          workers.delete(worker);
          await worker.stop();
        },
      };
    },
    async stopSigner() {
      isSignerStopped = true;
      await signer.stop();
    },
    reload: server.reload,
    async prepareAgain() {
      const second = await startServer(config, createLogger('silent'));
      await second.prepared.finally(() => second.stop());
    },
    async stop() {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await server.stop();
      if (!isSignerStopped) await signer.stop();
      await issuer.stop();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
