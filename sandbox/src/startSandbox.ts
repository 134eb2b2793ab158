import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { type RunningChain, startChains } from './chain/startChains.ts';
import { findFolderFault } from './fault.ts';
import { followLog } from './followLog.ts';
import { startIssuer } from './issuer/startIssuer.ts';
import { startSumsub } from './kyc/startSumsub.ts';
import { checkPorts, findFreePort } from './ports.ts';
import { makeDataDir } from './postgres/chooseHome.ts';
import { startPostgres } from './postgres/startPostgres.ts';
import {
  createDatabase,
  getTreasury,
  type Logins,
  prepareDatabase,
  type Treasury,
  waitForDatabase,
} from './prepareDatabase.ts';
import type { Options } from './readOptions.ts';
import { emptyDataDir, filesOf, newKycKeys, newSignerTokens, readRemembered, remember } from './rememberState.ts';
import {
  HOME_BLOCKCHAIN,
  KYC_LEVEL,
  renderEnvironment,
  renderOperatorEnv,
  renderSignerEnvironment,
} from './renderEnvironment.ts';
import { seedGas, seedMoney } from './seedMoney.ts';
import { PEOPLE, type SandboxUser, seedPeople } from './seedPeople.ts';
import { endLeftServer, superviseServer } from './superviseServer.ts';
import { takeLock } from './takeLock.ts';
import { writePrivateFile } from './writePrivateFile.ts';

/** The content of `sandbox.json`, for scripts, tests and benchmarks. It exists only while the sandbox is ready. */
export interface SandboxState {
  readonly web3_url: string;
  readonly backend_url: string;
  readonly wallet_url: string | null;
  readonly issuer_url: string;
  /** The page on which identity checks are decided (the Sumsub double). */
  readonly kyc_url: string;
  readonly ops_url: string;
  readonly database_url: string;
  readonly users: readonly SandboxUser[];
  readonly treasury: Treasury;
  readonly chains: readonly RunningChain[];
  readonly pids: {
    readonly main: number;
    readonly server: number;
    readonly worker: number;
    readonly signer: number;
    readonly chain: number;
    readonly postgres: number | null;
  };
}

const LEFTOVER_PATIENCE_MS = 5_000;

/** What was started, in order, and how to stop it. `kill` stops at once, without draining. */
export interface Undo {
  readonly what: string;
  stop(): Promise<void> | void;
  kill?(): void;
}

interface Progress {
  step(line: string): void;
  note(line: string): void;
  readonly stopping: AbortSignal;
}

/** Starts everything. All that is running is on `undo` at every moment, so a failed start leaves nothing running. */
export async function startSandbox(options: Options, undo: Undo[], progress: Progress): Promise<SandboxState> {
  const { dataDir } = options;
  const files = filesOf(dataDir);
  makeDataDir(dataDir);
  const lock = takeLock(dataDir);
  undo.push({ what: 'lock', stop: lock.release, kill: lock.release });
  await endLeftServer('API', files.serverPid);
  await endLeftServer('worker', files.workerPid);
  await endLeftServer('signer', files.signerPid);
  await checkPorts(
    [
      { port: options.web3Port, of: 'Web3 API', variable: 'FLORIN_WEB3_PORT' },
      { port: options.backendPort, of: 'Backend API', variable: 'FLORIN_BACKEND_PORT' },
    ],
    { patienceMs: lock.takenOver ? LEFTOVER_PATIENCE_MS : 0 },
  );
  for (const file of [files.sandbox, files.operatorEnv]) removeState(file, dataDir);
  if (options.fresh) {
    await emptyDataDir(dataDir);
    finish(progress, `Emptied ${shorten(options, dataDir)}`);
  }

  let writeState = () => {};
  const [database, chain] = await together(
    openDatabase(options, undo, progress, () => writeState()),
    openChains(dataDir, undo, progress, () => writeState()),
  );
  const before = readRemembered(dataDir);
  const opsPort = await findFreePort(before.opsPort);
  const issuerPort = await findFreePort(before.issuerPort);
  const kycPort = await findFreePort(before.kycPort);
  const signerPort = await findFreePort(before.signerPort);
  const kycKeys = before.kycKeys ?? newKycKeys();
  const signerTokens = before.signerTokens ?? newSignerTokens();
  remember(dataDir, { ...before, opsPort, issuerPort, kycPort, kycKeys, signerPort, signerTokens });
  await createSeedFile(files.walletSeed, before.walletSecret);

  const issuer = await startIssuer({
    port: issuerPort,
    keyFile: files.issuerKey,
    redirectUris: ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${options.walletPort}/callback`),
    people: PEOPLE,
    log: progress.note,
  });
  undo.push({ what: 'issuer', stop: issuer.stop });
  finish(progress, `Issuer at ${issuer.issuerUrl}`);

  const names = new Map<string, string>();
  const backendUrl = `http://127.0.0.1:${options.backendPort}`;
  const kyc = await startSumsub({
    ...kycKeys,
    port: kycPort,
    level: KYC_LEVEL,
    file: files.applicants,
    webhookUrl: `${backendUrl}/webhooks/sumsub`,
    nameOf: (userId) => names.get(userId),
    log: progress.note,
  });
  undo.push({ what: 'KYC double', stop: kyc.stop });
  finish(progress, `Identity provider's desk at ${kyc.url}`);

  const env = renderEnvironment({
    options,
    issuerUrl: issuer.issuerUrl,
    kycUrl: kyc.url,
    kycKeys,
    chains: chain.chains,
    opsPort,
    signerPort,
  });
  const signerEnv = renderSignerEnvironment({ env, files, walletSecret: before.walletSecret, signerTokens });
  const supervised = {
    root: options.root,
    log: progress.note,
    stopping: progress.stopping,
    onRestart: () => writeState(),
  };
  const ownEnv = {
    API: { ...env, FLORIN_SIGNER_TOKEN: signerTokens.server, DATABASE_URL: database.logins.server },
    worker: { ...env, FLORIN_SIGNER_TOKEN: signerTokens.worker, DATABASE_URL: database.logins.worker },
    signer: { ...signerEnv, DATABASE_URL: database.logins.signer },
  };
  const supervise = async (program: keyof typeof ownEnv, logFile: string, pidFile: string, step: string) => {
    const own = { program, logFile, pidFile, env: ownEnv[program] };
    const child = await superviseServer({ ...supervised, ...own });
    undo.push({ what: program, stop: child.stop, kill: child.kill });
    finish(progress, step);
    return child;
  };
  await seedGas({ chains: chain.chains, seedFile: files.walletSeed, walletSecret: before.walletSecret });
  const [[signer, server], worker] = await together(
    together(
      supervise('signer', files.signerLog, files.signerPid, 'The signer has the keys'),
      supervise('API', files.serverLog, files.serverPid, 'Both APIs serve'),
    ),
    supervise('worker', files.workerLog, files.workerPid, 'The worker carries payments'),
  );

  const users = await seedPeople({ backendUrl, issueIdToken: issuer.issueIdToken, kyc });
  for (const user of users) names.set(user.user_id, user.username);
  const treasury = await getTreasury(database.url);
  await seedMoney({
    databaseUrl: database.url,
    chains: chain.chains,
    people: users.map((user) => user.address),
    treasury: treasury.address,
    homeBlockchain: HOME_BLOCKCHAIN,
    stopping: progress.stopping,
  });
  finish(progress, `${users.length} people are in, with 1000 USDC each, deposited on chain`);

  const render = (): SandboxState => ({
    web3_url: `http://127.0.0.1:${options.web3Port}`,
    backend_url: backendUrl,
    wallet_url: null,
    issuer_url: issuer.issuerUrl,
    kyc_url: kyc.url,
    ops_url: `http://127.0.0.1:${opsPort}`,
    database_url: database.url,
    users,
    treasury,
    chains: chain.chains,
    pids: {
      main: process.pid,
      server: server.pid,
      worker: worker.pid,
      signer: signer.pid,
      chain: chain.pid,
      postgres: database.pid(),
    },
  });
  writeState = () => writePrivateFile(files.sandbox, `${JSON.stringify(render(), null, 2)}\n`);
  writeState();
  const operator = { env, databaseUrl: database.url, signerToken: signerTokens.worker };
  writePrivateFile(files.operatorEnv, renderOperatorEnv(operator));
  const forget = () => {
    for (const file of [files.sandbox, files.operatorEnv]) rmSync(file, { force: true });
  };
  undo.push({ what: 'state', stop: forget, kill: forget });
  const unfollow = followLog(files.serverLog, progress.note);
  undo.push({ what: 'log', stop: unfollow });
  return render();
}

/** A Ctrl-C during the start takes effect at the end of the current step. */
function finish(progress: Progress, step: string): void {
  progress.stopping.throwIfAborted();
  progress.step(step);
}

/** Both at once. If one fails, we still wait for the other, so that what it started is on `undo`. */
async function together<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

async function openChains(dataDir: string, undo: Undo[], progress: Progress, onRestart: () => void) {
  const chain = await startChains({ dataDir, log: progress.note, onRestart });
  undo.push({ what: 'chain', stop: chain.stop, kill: chain.kill });
  finish(progress, `Local chains ${chain.chains.map(({ blockchain }) => blockchain).join(' and ')}`);
  return chain;
}

interface SandboxDatabase {
  /** Of a login that may do everything: for scripts and tests. */
  readonly url: string;
  readonly logins: Logins;
  pid(): number | null;
}

async function openDatabase(
  options: Options,
  undo: Undo[],
  progress: Progress,
  onRestart: () => void,
): Promise<SandboxDatabase> {
  if (options.databaseUrl) {
    await waitForDatabase(options.databaseUrl, progress);
    const logins = await prepareDatabase(options.databaseUrl, progress.note);
    finish(progress, 'Your PostgreSQL answers');
    return { url: options.databaseUrl, logins, pid: () => null };
  }
  const postgres = await startPostgres({ dataDir: options.dataDir, log: progress.note, onRestart });
  undo.push({ what: 'PostgreSQL', stop: postgres.stop, kill: () => process.kill(postgres.pid, 'SIGQUIT') });
  await createDatabase(postgres.url('postgres'), 'florin');
  const logins = await prepareDatabase(postgres.url('florin'), () => {});
  finish(progress, `PostgreSQL on port ${postgres.port}${postgres.adopted ? ' (it was still running)' : ''}`);
  return { url: postgres.url('florin'), logins, pid: () => postgres.pid };
}

/** A killed sandbox leaves this file, and scripts would believe that the sandbox is ready. */
function removeState(file: string, dataDir: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw findFolderFault(error, dataDir) ?? error;
  }
}

/** The path as one would type it in the project's folder. */
export function shorten(options: Options, path: string): string {
  const below = relative(options.root, path);
  return below.startsWith('..') ? path : below;
}
