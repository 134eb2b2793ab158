import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { createSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { type RunningChain, startChains } from './chain/startChains.ts';
import { type RunningCircleDouble, startCircleDouble } from './circle/startCircleDouble.ts';
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
  renderConsoleEnvironment,
  renderEnvironment,
  renderOperatorEnv,
  renderSignerEnvironment,
} from './renderEnvironment.ts';
import { PEOPLE_USDC, readBalances, seedGas, seedMoney } from './seedMoney.ts';
import { PEOPLE, type SandboxUser, seedPeople } from './seedPeople.ts';
import { endLeftServer, superviseServer } from './superviseServer.ts';
import { takeLock } from './takeLock.ts';
import type { Progress } from './terminal/createProgress.ts';
import { buildConsole, buildWallet } from './wallet/buildWallet.ts';
import { chooseWallets } from './wallet/chooseWallets.ts';
import { CONSOLE_HOSTS, hasConsole } from './wallet/hasConsole.ts';
import { startFaucet } from './wallet/startFaucet.ts';
import { writeExamples } from './writeExamples.ts';
import { writePrivateFile } from './writePrivateFile.ts';

/** The content of `sandbox.json`, for scripts, tests and benchmarks. It exists only while the sandbox is ready. */
export interface SandboxState {
  readonly web3_url: string;
  readonly backend_url: string;
  readonly wallet_url: string;
  /** Null if this checkout has no console. */
  readonly console_url: string | null;
  readonly issuer_url: string;
  /** The page for deciding identity checks (the Sumsub double). */
  readonly kyc_url: string;
  /** The URL of the Circle double's page and API; null if we hold the keys of wallets ourselves. */
  readonly circle_url: string | null;
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
    readonly console: number | null;
    readonly chain: number;
    readonly postgres: number | null;
  };
}

const LEFTOVER_PATIENCE_MS = 5_000;

/** One started part of the sandbox, and how to stop it. `kill` stops it immediately, without draining. */
export interface Undo {
  readonly what: string;
  stop(): Promise<void> | void;
  kill?(): void;
}

interface Start extends Progress {
  readonly stopping: AbortSignal;
}

interface StartedSandbox {
  readonly state: SandboxState;
  /** In USDC, by user id. */
  readonly balances: ReadonlyMap<string, string>;
}

/** Starts everything. At every moment, `undo` lists all running parts, so a failed start leaves nothing running. */
export async function startSandbox(options: Options, undo: Undo[], progress: Start): Promise<StartedSandbox> {
  const { dataDir } = options;
  const files = filesOf(dataDir);
  makeDataDir(dataDir);
  const lock = takeLock(dataDir);
  undo.push({ what: 'lock', stop: lock.release, kill: lock.release });
  await endLeftServer('API', files.serverPid);
  await endLeftServer('worker', files.workerPid);
  await endLeftServer('signer', files.signerPid);
  await endLeftServer('console', files.consolePid);
  const withConsole = hasConsole(options.root);
  await checkPorts(
    [
      { port: options.web3Port, of: 'Web3 API', variable: 'FLORIN_WEB3_PORT' },
      { port: options.backendPort, of: 'Backend API', variable: 'FLORIN_BACKEND_PORT' },
      { port: options.walletPort, of: 'wallet', variable: 'FLORIN_WALLET_PORT' },
      ...(withConsole ? [{ port: options.consolePort, of: 'console', variable: 'FLORIN_CONSOLE_PORT' }] : []),
    ],
    { patienceMs: lock.takenOver ? LEFTOVER_PATIENCE_MS : 0 },
  );
  const ofThisStart = [files.sandbox, files.operatorEnv, files.riskEnv, files.supportEnv];
  for (const file of ofThisStart) removeState(file, dataDir);
  if (options.fresh) {
    const done = begin(progress, `Emptying ${shorten(options, dataDir)}`);
    await emptyDataDir(dataDir);
    done(`Emptied ${shorten(options, dataDir)}`);
  }

  let writeState = () => {};
  const walletBuilt = openWallet(options, progress);
  // Awaited below, before the API starts; an error until then is not lost.
  walletBuilt.catch(() => {});
  const [database, chain] = await together(
    openDatabase(options, undo, progress, () => writeState()),
    openChains(dataDir, undo, progress, () => writeState()),
  );
  const before = readRemembered(dataDir);
  const wallets = chooseWallets(options.wallets, before);
  const opsPort = await findFreePort(before.opsPort);
  const issuerPort = await findFreePort(before.issuerPort);
  const kycPort = await findFreePort(before.kycPort);
  const signerPort = await findFreePort(before.signerPort);
  const circlePort = await findFreePort(before.circlePort);
  const faucetPort = await findFreePort(before.faucetPort);
  const kycKeys = before.kycKeys ?? newKycKeys();
  const signerTokens = before.signerTokens ?? newSignerTokens();
  remember(dataDir, {
    ...before,
    opsPort,
    issuerPort,
    kycPort,
    kycKeys,
    signerPort,
    signerTokens,
    circlePort,
    faucetPort,
    wallets,
  });
  await createSeedFile(files.walletSeed, before.walletSecret);

  // Two names of this machine are two wallets side by side in one browser: each has its own session.
  const walletOrigins = ['127.0.0.1', 'localhost', 'wallet.localhost'].map(
    (host) => `http://${host}:${options.walletPort}`,
  );
  const issuerDone = begin(progress, 'Starting the issuer');
  const issuer = await startIssuer({
    port: issuerPort,
    keyFile: files.issuerKey,
    redirectUris: walletOrigins.map((origin) => `${origin}/callback`),
    consoleRedirectUris: CONSOLE_HOSTS.map((host) => `http://${host}:${options.consolePort}/callback`),
    people: PEOPLE,
    log: progress.note,
  });
  undo.push({ what: 'issuer', stop: issuer.stop });
  issuerDone(`Issuer at ${issuer.issuerUrl}`);

  const names = new Map<string, string>();
  const backendUrl = `http://127.0.0.1:${options.backendPort}`;
  const kycDone = begin(progress, 'Starting the identity check page');
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
  kycDone(`Identity check page at ${kyc.url}`);

  let circle: RunningCircleDouble | undefined;
  if (wallets !== 'local') {
    const done = begin(progress, "Starting Circle's double");
    const { chains } = chain;
    circle = await startCircleDouble({
      chains,
      stateFile: files.circle,
      port: circlePort,
      log: progress.note,
      webhookUrl: `http://127.0.0.1:${options.backendPort}/webhooks/circle`,
    });
    undo.push({ what: 'Circle double', stop: circle.stop });
    done(`Circle's double at ${circle.url}`);
  }

  const rpcUrl = chain.chains.find(({ blockchain }) => blockchain === HOME_BLOCKCHAIN)!.rpc_url;
  const faucet = await startFaucet({ port: faucetPort, rpcUrl, origins: walletOrigins });
  undo.push({ what: 'faucet', stop: faucet.stop });

  const env = renderEnvironment({
    options,
    wallets,
    faucetUrl: faucet.url,
    people: PEOPLE,
    issuerUrl: issuer.issuerUrl,
    kycUrl: kyc.url,
    kycKeys,
    chains: chain.chains,
    opsPort,
    signerPort,
  });
  const signerEnv = renderSignerEnvironment({
    env,
    files,
    walletSecret: before.walletSecret,
    signerTokens,
    circle,
    wallets,
  });
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
    console: {
      ...renderConsoleEnvironment({ options, issuerUrl: issuer.issuerUrl, operators: database.logins.operators }),
      DATABASE_URL: database.logins.console,
    },
  };
  const supervise = async (program: keyof typeof ownEnv, logFile: string, pidFile: string, step: string) => {
    const done = begin(progress, `Starting the ${program}`);
    const own = { program, logFile, pidFile, env: ownEnv[program] };
    const child = await superviseServer({ ...supervised, ...own });
    undo.push({ what: program, stop: child.stop, kill: child.kill });
    done(step);
    return child;
  };
  const gasDone = begin(progress, 'Giving the relayer gas');
  await seedGas({ chains: chain.chains, seedFile: files.walletSeed, walletSecret: before.walletSecret });
  gasDone('The relayer has gas');
  await walletBuilt;
  const [[signer, server], [worker, consoleProcess]] = await together(
    together(
      supervise('signer', files.signerLog, files.signerPid, 'The signer is running'),
      supervise('API', files.serverLog, files.serverPid, 'Both APIs are ready'),
    ),
    together(
      supervise('worker', files.workerLog, files.workerPid, 'The worker is running'),
      withConsole
        ? supervise('console', files.consoleLog, files.consolePid, 'The operator console is ready')
        : Promise.resolve(undefined),
    ),
  );

  const peopleDone = begin(progress, `Logging ${PEOPLE.length} people in`);
  const users = await seedPeople({ backendUrl, issueIdToken: issuer.issueIdToken, kyc });
  for (const user of users) names.set(user.user_id, user.username);
  peopleDone(`${users.length} people are logged in`);
  const treasury = await getTreasury(database.url);
  const moneyDone = begin(progress, 'Funding them');
  const funded = await seedMoney({
    databaseUrl: database.url,
    chains: chain.chains,
    people: users.map((user) => user.address),
    treasury: treasury.address,
    homeBlockchain: HOME_BLOCKCHAIN,
    stopping: progress.stopping,
  });
  moneyDone(
    funded > 0 ? `${funded} people got ${PEOPLE_USDC} USDC each, deposited on chain` : 'Everyone was already funded',
  );
  const places = { $ISSUER: issuer.issuerUrl, $CHAIN: chain.chains[0]!.rpc_url };
  await writeExamples(files.examples, backendUrl, users[0]!, places);

  const render = (): SandboxState => ({
    web3_url: `http://127.0.0.1:${options.web3Port}`,
    backend_url: backendUrl,
    wallet_url: walletOrigins[0]!,
    console_url: withConsole ? `http://${CONSOLE_HOSTS[0]}:${options.consolePort}` : null,
    issuer_url: issuer.issuerUrl,
    kyc_url: kyc.url,
    circle_url: circle?.url ?? null,
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
      console: consoleProcess?.pid ?? null,
      chain: chain.pid,
      postgres: database.pid(),
    },
  });
  writeState = () => writePrivateFile(files.sandbox, `${JSON.stringify(render(), null, 2)}\n`);
  writeState();
  const { admin, risk, support } = database.logins.operators;
  const writeOperator = (file: string, databaseUrl: string) =>
    writePrivateFile(file, renderOperatorEnv({ env, databaseUrl, signerToken: signerTokens.worker }));
  writeOperator(files.riskEnv, risk);
  writeOperator(files.supportEnv, support);
  writeOperator(files.operatorEnv, admin);
  const forget = () => {
    for (const file of ofThisStart) rmSync(file, { force: true });
  };
  undo.push({ what: 'state', stop: forget, kill: forget });
  const unfollow = followLog(files.serverLog, progress.note);
  undo.push({ what: 'log', stop: unfollow });
  return { state: render(), balances: await readBalances(database.url, HOME_BLOCKCHAIN) };
}

/** A Ctrl-C during the start takes effect at the end of the current step. */
function begin(progress: Start, what: string): (line: string) => void {
  const end = progress.begin(what);
  return (line) => {
    progress.stopping.throwIfAborted();
    end(line);
  };
}

/**
 * Runs both concurrently. If one fails, still waits for the other, so that `undo` lists the parts that the other
 * started.
 */
async function together<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

async function openWallet(options: Options, progress: Start): Promise<void> {
  const done = begin(progress, 'Checking the built wallet');
  done((await buildWallet(options.root)) ? 'The wallet is built' : 'The wallet is already built');
  if (!hasConsole(options.root)) return;
  const consoleDone = begin(progress, 'Checking the built console');
  consoleDone((await buildConsole(options.root)) ? 'The console is built' : 'The console is already built');
}

async function openChains(dataDir: string, undo: Undo[], progress: Start, onRestart: () => void) {
  const done = begin(progress, 'Starting the local chains');
  const chain = await startChains({ dataDir, log: progress.note, onRestart });
  undo.push({ what: 'chain', stop: chain.stop, kill: chain.kill });
  done(`Local chains ${chain.chains.map(({ blockchain }) => blockchain).join(' and ')}`);
  return chain;
}

interface SandboxDatabase {
  /** The URL of a login that may do everything: for scripts and tests. */
  readonly url: string;
  readonly logins: Logins;
  pid(): number | null;
}

async function openDatabase(
  options: Options,
  undo: Undo[],
  progress: Start,
  onRestart: () => void,
): Promise<SandboxDatabase> {
  const done = begin(progress, options.databaseUrl ? 'Preparing your PostgreSQL' : 'Starting PostgreSQL');
  if (options.databaseUrl) {
    await waitForDatabase(options.databaseUrl, progress);
    const logins = await prepareDatabase(options.databaseUrl, progress.note);
    done('Your PostgreSQL answers');
    return { url: options.databaseUrl, logins, pid: () => null };
  }
  const postgres = await startPostgres({ dataDir: options.dataDir, log: progress.note, onRestart });
  undo.push({ what: 'PostgreSQL', stop: postgres.stop, kill: () => process.kill(postgres.pid, 'SIGQUIT') });
  done(`PostgreSQL on port ${postgres.port}${postgres.adopted ? ' (it was still running)' : ''}`);
  const prepared = begin(progress, 'Preparing the database');
  await createDatabase(postgres.url('postgres'), 'florin');
  const logins = await prepareDatabase(postgres.url('florin'), () => {});
  prepared('The database is ready');
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

/** The path as you would type it in the project's folder. */
export function shorten(options: Options, path: string): string {
  const below = relative(options.root, path);
  return below.startsWith('..') ? path : below;
}
