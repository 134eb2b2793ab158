import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DEVNET_CHAIN_IDS } from '../adapters/chain/blockchains.ts';
import { pauseBetweenLooksMs } from '../adapters/chain/blockTime.ts';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { remoteSigner } from '../adapters/signer/remoteSigner.ts';
import type { Signer } from '../core/signer.ts';
import { askAgain } from '../custody/coins/blockedWallets.ts';
import { breakOnDrift } from '../custody/coins/breakOnDrift.ts';
import { followLedger } from '../custody/coins/keptPositions.ts';
import { settleWallets } from '../custody/coins/settleWallets.ts';
import { eip3009Rail } from '../custody/eip3009/eip3009Rail.ts';
import { registerRelayers, watchGas } from '../custody/eip3009/relayers.ts';
import { forgetCarrierBytes } from '../custody/eip3009/relaying/forgetCarrierBytes.ts';
import { type CustodySettings, type Network, openNetwork } from '../custody/network.ts';
import type { CustodyApp } from '../custody/rail.ts';
import { keepSuspects } from '../custody/watch/suspects.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { ensureJob } from '../jobs/jobs.ts';
import { type JobHandler, runJobs } from '../jobs/runJobs.ts';
import { forgetOld } from '../operators/forgetOld.ts';
import { carryPayments } from '../payments/sends/carryPayments.ts';
import { failPayments } from '../payments/sends/failPayments.ts';
import { keepSendRules } from '../payments/sends/keepSendRules.ts';
import { submitJob } from '../payments/sends/sendCommand.ts';
import { submitPayments } from '../payments/sends/submitPayments.ts';
import { trackPayments } from '../payments/sends/trackPayments.ts';
import type { NetworkConfig } from './config/chains.ts';
import type { Config } from './config/config.ts';
import { findUsualGas } from './config/usualGas.ts';
import { prepare } from './prepare.ts';
import { reportNodes } from './reportNodes.ts';
import type { Running } from './runProcess.ts';

const CARRY_EVERY_MS = 150;
const FAIL_EVERY_MS = 2_000;
const GAS_EVERY_MS = 5_000;
/** Seldom, so that many payments of one person are followed at once; who lacks coins does not wait for it. */
const POSITIONS_EVERY_MS = 120_000;
const CHAIN_RETRY_MS = 1_000;
const SUBMIT_BATCH = 100;
const SUSPECTS_PAUSE_MS = 250;
const FORGET = 'forget';
const FORGET_PAUSE_MS = 1_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET_BATCH = 500;
const WALLETS_BATCH = 20;

/**
 * Any number of workers may run on one database: jobs are leased, and repeating one is safe. A worker is prepared when
 * every configured chain has answered once.
 */
export async function startWorker(config: Config, log: Logger): Promise<Running> {
  const signer = remoteSigner(config.signer);
  const db = openDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    applicationName: 'florin-worker',
  });
  const app: CustodyApp = { db, signer, transfers: {}, rails: { local: eip3009Rail } };
  const stopping = new AbortController();
  const { signal } = stopping;
  const running: Promise<void>[] = [];

  async function open(given: NetworkConfig): Promise<Network> {
    const chain = viemChain(given);
    running.push(reportNodes(db, chain, log, signal));
    for (;;) {
      try {
        const network = await openNetwork(db, chain, toSettings(config, given));
        await registerRelayers(app, network);
        await watchGas(app, network);
        return network;
      } catch (error) {
        if (!isAway(error)) throw error;
        log.warn({ err: error, blockchain: chain.blockchain }, 'the chain or the signer does not answer; trying again');
        await sleep(CHAIN_RETRY_MS, undefined, { signal });
      }
    }
  }

  async function begin(): Promise<void> {
    await prepare({ config, db, log, role: 'worker' }, signal);
    await keepSendRules(db, config.sendRules, config.mode === 'sandbox');
    const onError = (job: { kind: string; attempts: number }, error: Error) =>
      log.warn({ err: error, job: job.kind, attempts: job.attempts }, 'a job failed; it will be tried again');
    await ensureJob(db, FORGET, 'tables');
    running.push(runJobs(db, [forgetHandler(db, config), walletHandler(signer)], signal, { onError }));
    await Promise.all(
      config.chains.map(async (given) => {
        const network = await open(given);
        const handlers = handlersOf(app, network, config);
        for (const { kind } of handlers)
          if (!kind.startsWith('submit')) await ensureJob(db, kind, network.chain.blockchain);
        running.push(runJobs(db, handlers, signal, { onError }));
      }),
    );
  }

  const prepared = begin();
  prepared.catch(() => {});
  return {
    prepared,
    facts: { blockchains: config.chains.map(({ blockchain }) => blockchain) },
    async stop() {
      stopping.abort();
      await prepared.catch(() => {});
      await Promise.all(running);
      signer.close();
      await db.close();
    },
  };
}

/** What is old in the tables of all rooms: a part at a time, and the next pass a day later. */
const forgetHandler = (db: Db, { retention }: Config): JobHandler => ({
  kind: FORGET,
  batch: 1,
  run: async () => [{ againAfterMs: (await forgetOld(db, retention)) ? FORGET_PAUSE_MS : FORGET_EVERY_MS }],
});

/** People whose login could not wait for the signer. */
const walletHandler = (signer: Signer): JobHandler => ({
  kind: 'wallet',
  batch: WALLETS_BATCH,
  run: (userIds) =>
    Promise.all(
      userIds.map(async (userId) => {
        const answer = await signer.makeWallet(userId);
        return answer.outcome === 'accepted' ? 'done' : new Error('the signer made no wallet', { cause: answer });
      }),
    ),
});

/** A step at a time while the past is read, so that nothing else waits for it. */
const suspectsHandler = (db: Db, network: Network): JobHandler => ({
  kind: `suspects ${network.chain.blockchain}`,
  batch: 1,
  run: async () => [
    { againAfterMs: (await keepSuspects(db, network)) ? SUSPECTS_PAUSE_MS : pauseBetweenLooksMs(network.chain) },
  ],
});

const isAway = (error: unknown): boolean => (error as { code?: string }).code === 'service.unavailable';

function toSettings({ custody }: Config, given: NetworkConfig): Partial<CustodySettings> {
  // A devnet is as old as this database, so it is read from its first block; it also mines every second.
  const isDevnet = DEVNET_CHAIN_IDS.includes(given.chainId);
  const usual = findUsualGas(given.blockchain, given.chainId);
  const maxFeePerGasWei = given.maxFeeWei ?? custody.maxFeeWei ?? usual?.maxFeeWei;
  const minGasWei = given.minGasWei ?? usual?.minGasWei;
  return {
    relayers: given.relayers ?? custody.relayers,
    ...(maxFeePerGasWei !== undefined && { maxFeePerGasWei }),
    ...(minGasWei !== undefined && { minGasWei }),
    settleMin: given.settleMin,
    ...(isDevnet && { startBlock: 0n, bumpAfterMs: 5_000, rebroadcastAfterMs: 1_500, stuckAfterMs: 15_000 }),
    ...(given.startBlock !== undefined && { startBlock: given.startBlock }),
  };
}

/** The jobs of one blockchain. Each kind has its own loop, so that a slow one does not delay the others. */
function handlersOf(app: CustodyApp, network: Network, { custody, retention, sendRules }: Config): JobHandler[] {
  const { blockchain } = network.chain;
  const again = (name: string, everyMs: number | (() => number), work: () => Promise<unknown>): JobHandler => ({
    kind: `${name} ${blockchain}`,
    batch: 1,
    async run() {
      await work();
      return [{ againAfterMs: typeof everyMs === 'number' ? everyMs : everyMs() }];
    },
  });
  return [
    {
      kind: submitJob(blockchain),
      batch: SUBMIT_BATCH,
      run: (paymentIds) => submitPayments(app, network, paymentIds),
    },
    again('carry', CARRY_EVERY_MS, () => carryPayments(app, network)),
    again(
      'track',
      () => pauseBetweenLooksMs(network.chain),
      async () => {
        while (await trackPayments(app, network));
      },
    ),
    again('fail', FAIL_EVERY_MS, () => failPayments(app, network)),
    again('gas', GAS_EVERY_MS, () => watchGas(app, network)),
    again('settle', custody.settleEveryMs, async () => {
      for (const asset of network.assets) await settleWallets(app, network, asset);
    }),
    again('positions', POSITIONS_EVERY_MS, async () => {
      await followLedger(app.db);
      for (const asset of network.assets) await askAgain(app.db, network, asset);
    }),
    ...(sendRules.blacklistSeconds ? [suspectsHandler(app.db, network)] : []),
    again('reconcile', custody.reconcileEveryMs, () => breakOnDrift(app, network)),
    again('forget carriers', FORGET_EVERY_MS, async () => {
      const depth = { olderThanDays: retention.carriers, limit: FORGET_BATCH };
      while (retention.carriers > 0 && (await forgetCarrierBytes(app.db, network.networkId, depth)) === FORGET_BATCH);
    }),
  ];
}
