import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DEVNET_CHAIN_IDS } from '../adapters/chain/blockchains.ts';
import { pauseBetweenLooksMs } from '../adapters/chain/blockTime.ts';
import { unreadChain } from '../adapters/chain/unreadChain.ts';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { exportSpans } from '../adapters/otlp/exportSpans.ts';
import { remoteSigner } from '../adapters/signer/remoteSigner.ts';
import { openReceivers } from '../adapters/supplied/openReceivers.ts';
import { PROVIDER_RAILS } from '../adapters/wallets/providers.ts';
import { describeError } from '../core/describeError.ts';
import type { Chain } from '../core/ports.ts';
import type { RailName } from '../core/providers.ts';
import type { Signer } from '../core/signer.ts';
import { AUDIT_JOB, openAuditor } from '../custody/books/openAuditor.ts';
import { askAgain } from '../custody/coins/blockedWallets.ts';
import { followLedger } from '../custody/coins/keptPositions.ts';
import { pauseOnDrift } from '../custody/coins/pauseOnDrift.ts';
import { settleWallets } from '../custody/coins/settleWallets.ts';
import { eip3009Rail } from '../custody/eip3009/eip3009Rail.ts';
import { registerRelayers, watchGas } from '../custody/eip3009/relayers.ts';
import { forgetRelayTxBytes } from '../custody/eip3009/relaying/forgetRelayTxBytes.ts';
import { type CustodySettings, type Network, openNetwork } from '../custody/network.ts';
import { providerRail } from '../custody/provider/providerRail.ts';
import type { CustodyApp, Rails } from '../custody/rail.ts';
import { compareCoins } from '../custody/unwatchedChains/compareCoins.ts';
import { keepEverBlacklisted } from '../custody/watch/everBlacklisted.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { openSender } from '../events/webhooks/openSender.ts';
import { FOLLOW_JOB, webhookJobs } from '../events/webhooks/webhookJobs.ts';
import { createMetrics } from '../http/ops/metrics.ts';
import { observeDatabase } from '../http/ops/observeDatabase.ts';
import { openOps } from '../http/ops/openOps.ts';
import { openRetries } from '../http/ops/openRetries.ts';
import { openTraces } from '../http/ops/openTraces.ts';
import {
  openPasses,
  probeDatabase,
  probeNetworks,
  probePasses,
  probeRelayers,
  probeSigner,
  STEADY_JOBS,
} from '../http/ops/probes.ts';
import { ensureJob, type Job, noteFailure } from '../jobs/jobs.ts';
import { type JobHandler, runJobs } from '../jobs/runJobs.ts';
import { forgetOld } from '../operators/forgetOld.ts';
import { openDestinations } from '../payments/destinations/openDestinations.ts';
import { PAYOUT_JOB, type RunApp, runPayouts } from '../payments/payouts/runPayouts.ts';
import { expireRequests } from '../payments/requests/expireRequests.ts';
import { carryPayments } from '../payments/sends/carryPayments.ts';
import { failPayments } from '../payments/sends/failPayments.ts';
import { keepSendRules } from '../payments/sends/keepSendRules.ts';
import { submitJob } from '../payments/sends/sendCommand.ts';
import { startPayments } from '../payments/sends/startPayments.ts';
import { submitPayments } from '../payments/sends/submitPayments.ts';
import { trackPayments } from '../payments/tracking/trackPayments.ts';
import { trackUnwatchedChain } from '../payments/tracking/trackUnwatchedChain.ts';
import type { NetworkConfig } from './config/chains.ts';
import type { Config } from './config/config.ts';
import { findUsualGas } from './config/usualGas.ts';
import { findOutput } from './logger.ts';
import { prepare } from './prepare.ts';
import { reportNodes } from './reportNodes.ts';
import type { Running } from './runProcess.ts';

const CARRY_EVERY_MS = 150;
const FAIL_EVERY_MS = 2_000;
/** Polls a provider about blockchains that our nodes do not read. */
const LISTEN_EVERY_MS = 2_000;
const GAS_EVERY_MS = 5_000;
/** Infrequent, so that one pass covers many payments of a person; wallets that lack coins do not wait for it. */
const POSITIONS_EVERY_MS = 120_000;
const CHAIN_RETRY_MS = 1_000;
const SUBMIT_BATCH = 100;
const SUSPECTS_PAUSE_MS = 250;
const FORGET = 'forget';
const FORGET_PAUSE_MS = 1_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET_BATCH = 500;
const WALLETS_BATCH = 20;
const PAYOUTS_BATCH = 4;
const RECEIVERS_GRACE_MS = 3_000;
/** A comparison of many accounts can take longer than other statements. */
const AUDIT_TIMEOUT_MS = 120_000;
const EXPIRE = 'expire';
const EXPIRE_EVERY_MS = 5_000;

/**
 * Any number of workers may run on one database: jobs are leased, and repeating one is safe. A worker is prepared when
 * every configured chain has answered once.
 */
export async function startWorker(config: Config, log: Logger): Promise<Running> {
  const metrics = createMetrics();
  const retries = openRetries(log);
  const passes = openPasses();
  const signer = remoteSigner(config.signer);
  const db = openDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    applicationName: 'florin-worker',
    onCommitted(news) {
      metrics.countNews(news);
      for (const one of news) log.info(one, 'payment');
      traces?.payments(news);
    },
  });
  const auditDb = openDatabase(config.databaseUrl, {
    maxConnections: 1,
    applicationName: 'florin-audit',
    statementTimeoutMs: AUDIT_TIMEOUT_MS,
  });
  const spans = config.otlp && exportSpans({ ...config.otlp, service: 'florin-worker' });
  const traces = spans && openTraces(spans, db);
  const chains = config.chains.map((given) => ({ given, chain: viemChain(given) }));
  const elsewhere = config.elsewhere.map(unreadChain);
  const rails = railsOf();
  const app: CustodyApp = { db, signer, rails };
  const stopping = new AbortController();
  const { signal } = stopping;
  const running: Promise<void>[] = [];
  const receivers = openReceivers({ allowsLoopback: config.mode === 'sandbox' });
  const sender = openSender({
    db,
    receivers,
    signal,
    onSwitchedOff: (endpoint, failure) =>
      log.error({ incident: 'webhook', webhook_id: endpoint, failure }, 'a webhook was switched off'),
  });

  async function open(given: NetworkConfig, chain: Chain): Promise<Network> {
    const { blockchain } = chain;
    running.push(reportNodes(db, chain, log, signal));
    for (;;) {
      try {
        const network = await openNetwork(db, chain, toSettings(config, given));
        await registerRelayers(app, network);
        await watchGas(app, network);
        retries.worked(`open ${blockchain}`);
        return network;
      } catch (error) {
        if (!isAway(error)) throw error;
        retries.failed(`open ${blockchain}`, error, 'the chain or the signer does not answer; retrying');
        // So that a payment that waits for this network can say why.
        await noteFailure(db, `track ${blockchain}`, blockchain, describeError(error)).catch(() => {});
        await sleep(CHAIN_RETRY_MS, undefined, { signal });
      }
    }
  }

  async function begin(): Promise<void> {
    await prepare({ config, db, log, role: 'worker' }, signal);
    await keepSendRules(db, config.sendRules, config.mode === 'sandbox');
    isPrepared = true;
    const watched = {
      onError: (job: Job, error: Error) => retries.failed(job.kind, error, 'a job failed; retrying'),
      onPass(kind: string, failed: boolean) {
        passes.note(kind);
        if (!failed) retries.worked(kind);
      },
      onHang: (kind: string) => log.error({ incident: 'hang', job: kind }, 'a job hangs'),
    };
    await ensureJob(db, FORGET, 'tables');
    await ensureJob(db, EXPIRE, 'requests');
    await ensureJob(db, AUDIT_JOB, 'books');
    await ensureJob(db, FOLLOW_JOB, 'all');
    const places = openDestinations([...chains.map(({ chain }) => chain), ...elsewhere]);
    const payouts = { db, sendRules: config.sendRules, places };
    const handlers = [
      forgetHandler(db, config),
      walletHandler(signer),
      expireHandler(db),
      auditHandler(auditDb, log),
      payoutHandler(payouts),
      ...webhookJobs(db, sender),
    ];
    running.push(runJobs(db, handlers, signal, watched));
    for (const chain of elsewhere) {
      const network = await openNetwork(db, chain);
      const handlers = handlersElsewhere(app, network, config);
      for (const { kind } of handlers) if (!kind.startsWith('submit')) await ensureJob(db, kind, chain.blockchain);
      running.push(runJobs(db, handlers, signal, watched));
    }
    await Promise.all(
      chains.map(async ({ given, chain }) => {
        // Before the network is open, so that `/readyz` shows that its jobs are not done.
        for (const name of STEADY_JOBS) await ensureJob(db, `${name} ${chain.blockchain}`, chain.blockchain);
        const network = await open(given, chain);
        const handlers = handlersOf(app, network, config);
        for (const { kind } of handlers)
          if (!kind.startsWith('submit')) await ensureJob(db, kind, network.chain.blockchain);
        running.push(runJobs(db, handlers, signal, watched));
      }),
    );
  }

  let isPrepared = false;
  const output = findOutput(log);
  const seen = chains.map(({ chain }) => chain);
  const ops = openOps({
    process: 'worker',
    place: { host: config.opsHost, hosts: config.opsHosts, port: config.workerOpsPort },
    metrics,
    log,
    isPrepared: () => isPrepared,
    probes: (keep) => [
      probeDatabase(db, keep),
      probeNetworks(db, seen),
      probeSigner(signer, config.lookEveryMs),
      probePasses(passes),
      probeRelayers(db, seen),
    ],
  });
  metrics.showNodes(seen);
  metrics.showPasses(passes);
  metrics.showRetries(retries.counts);
  metrics.showLostLines(() => output.lost?.() ?? 0);
  observeDatabase(metrics.registry, db);
  const opsUrl = await ops.listen('elsewhere');

  const prepared = begin();
  prepared.catch(() => {});
  return {
    prepared,
    facts: { blockchains: config.chains.map(({ blockchain }) => blockchain), ops_url: opsUrl },
    async stop() {
      stopping.abort();
      await prepared.catch(() => {});
      // Do not wait for slow receivers; their events are sent again.
      const cut = setTimeout(receivers.close, RECEIVERS_GRACE_MS);
      await Promise.all(running);
      clearTimeout(cut);
      receivers.close();
      await ops.close();
      signer.close();
      await spans?.close();
      await auditDb.close();
      await db.close();
    },
  };
}

/** Deletes old rows of all modules: a batch at a time, and the next pass an hour later. */
const forgetHandler = (db: Db, { retention }: Config): JobHandler => ({
  kind: FORGET,
  batch: 1,
  run: async () => [{ againAfterMs: (await forgetOld(db, retention)) ? FORGET_PAUSE_MS : FORGET_EVERY_MS }],
});

/** Creates the wallets of people whose login could not wait for the signer. */
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

/** Expires money requests. */
const expireHandler = (db: Db): JobHandler => ({
  kind: EXPIRE,
  batch: 1,
  run: async () => [{ againAfterMs: (await expireRequests(db)) ? 0 : EXPIRE_EVERY_MS }],
});

/** Audits the ledger continuously, in small steps (`custody/books`). */
function auditHandler(db: Db, log: Logger): JobHandler {
  const audit = openAuditor(db, {
    onFault: ({ assetId, subject, fault }) =>
      log.error({ incident: 'audit', asset_id: assetId, subject, fault }, 'the audit has found a fault in the ledger'),
    onCycle: ({ seconds, rows }) => log.info({ seconds, rows: Number(rows) }, 'the audit has read the whole ledger'),
  });
  return { kind: AUDIT_JOB, batch: 1, run: async () => [{ againAfterMs: await audit() }] };
}

/** Runs confirmed payouts, several concurrently, so that a long one does not delay others. */
const payoutHandler = (app: RunApp): JobHandler => ({
  kind: PAYOUT_JOB,
  batch: PAYOUTS_BATCH,
  width: 2,
  run: (payoutIds) => runPayouts(app, payoutIds),
});

/** Reads the history in small steps, so that no other job waits for it. */
const suspectsHandler = (db: Db, network: Network): JobHandler => ({
  kind: `suspects ${network.chain.blockchain}`,
  batch: 1,
  run: async () => [
    { againAfterMs: (await keepEverBlacklisted(db, network)) ? SUSPECTS_PAUSE_MS : pauseBetweenLooksMs(network.chain) },
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

/** The rail of each provider's wallets; only of those on the rail `only`, if given. */
const railsOf = (only?: RailName): Rails =>
  Object.fromEntries(
    Object.entries(PROVIDER_RAILS)
      .filter(([, name]) => only === undefined || name === only)
      .map(([provider, name]) => [provider, name === 'provider' ? providerRail : eip3009Rail]),
  );

type Again = (name: string, everyMs: number, work: () => Promise<unknown>) => JobHandler;

const repeatOn =
  ({ chain }: Network): Again =>
  (name, everyMs, work) => ({
    kind: `${name} ${chain.blockchain}`,
    batch: 1,
    async run() {
      await work();
      return [{ againAfterMs: everyMs }];
    },
  });

/** The jobs of every blockchain. */
const handlersOfSends = (app: CustodyApp, network: Network, again: Again): JobHandler[] => [
  {
    kind: submitJob(network.chain.blockchain),
    batch: SUBMIT_BATCH,
    run: (paymentIds) => submitPayments(app, network, paymentIds),
  },
  again('start', CARRY_EVERY_MS, () => startPayments(app, network)),
  again('carry', CARRY_EVERY_MS, () => carryPayments(app, network)),
  again('fail', FAIL_EVERY_MS, () => failPayments(app, network)),
];

/** The jobs of a blockchain on which a provider sends and reports the outcome. */
function handlersElsewhere(given: CustodyApp, network: Network, { custody }: Config): JobHandler[] {
  const app = { ...given, rails: railsOf('provider') };
  const again = repeatOn(network);
  return [
    ...handlersOfSends(app, network, again),
    again('track', LISTEN_EVERY_MS, () => trackUnwatchedChain(app, network)),
    again('reconcile', custody.reconcileEveryMs, () => compareCoins(app, network)),
  ];
}

/** The jobs of one blockchain. Each kind has its own loop, so that a slow one does not delay the others. */
function handlersOf(app: CustodyApp, network: Network, { custody, retention, sendRules }: Config): JobHandler[] {
  const { blockchain } = network.chain;
  const again = repeatOn(network);
  return [
    ...handlersOfSends(app, network, again),
    {
      kind: `track ${blockchain}`,
      batch: 1,
      // While there is more to read, every poll counts as a pass: a worker that catches up does not count as hanging.
      run: async () => [{ againAfterMs: (await trackPayments(app, network)) ? 0 : pauseBetweenLooksMs(network.chain) }],
    },
    again('gas', GAS_EVERY_MS, () => watchGas(app, network)),
    again('settle', custody.settleEveryMs, async () => {
      for (const asset of network.assets) await settleWallets(app, network, asset);
    }),
    again('positions', POSITIONS_EVERY_MS, async () => {
      await followLedger(app.db);
      for (const asset of network.assets) await askAgain(app.db, network, asset);
    }),
    ...(sendRules.blacklistSeconds ? [suspectsHandler(app.db, network)] : []),
    again('reconcile', custody.reconcileEveryMs, () => pauseOnDrift(app, network)),
    again('forget carriers', FORGET_EVERY_MS, async () => {
      const depth = { olderThanDays: retention.carriers, limit: FORGET_BATCH };
      while (retention.carriers > 0 && (await forgetRelayTxBytes(app.db, network.networkId, depth)) === FORGET_BATCH);
    }),
  ];
}
