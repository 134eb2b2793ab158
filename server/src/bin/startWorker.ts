import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DEVNET_CHAIN_IDS } from '../adapters/chain/blockchains.ts';
import { unreadChain } from '../adapters/chain/unreadChain.ts';
import { viemChain } from '../adapters/chain/viemChain.ts';
import { exportSpans } from '../adapters/otlp/exportSpans.ts';
import { remoteSigner } from '../adapters/signer/remoteSigner.ts';
import { openReceivers } from '../adapters/supplied/openReceivers.ts';
import { describeError } from '../core/describeError.ts';
import type { Chain } from '../core/ports.ts';
import { registerRelayers, watchGas } from '../custody/eip3009/relayers.ts';
import { type CustodySettings, openNetwork } from '../custody/network.ts';
import type { CustodyApp } from '../custody/rail.ts';
import { openDatabase } from '../db/database.ts';
import { openSender } from '../events/webhooks/openSender.ts';
import { CURRENCY } from '../http/currency.ts';
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
import { watchDue } from '../jobs/watchDue.ts';
import { openDestinations } from '../payments/destinations/openDestinations.ts';
import { keepSendRules } from '../payments/sends/keepSendRules.ts';
import type { NetworkConfig } from './config/chains.ts';
import type { Config } from './config/config.ts';
import { findUsualGas } from './config/usualGas.ts';
import { findOutput } from './logger.ts';
import { prepare } from './prepare.ts';
import { reportNodes } from './reportNodes.ts';
import type { Running } from './runProcess.ts';
import { ensureServiceJobs, handlersElsewhere, handlersOf, handlersOfService, railsOf } from './workerJobs.ts';

const CHAIN_RETRY_MS = 1_000;
const RECEIVERS_GRACE_MS = 3_000;
/** A comparison of many accounts can take longer than other statements. */
const AUDIT_TIMEOUT_MS = 120_000;

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
  const traces = spans && openTraces(spans, db, config.otlp!.sampling);
  const chains = config.chains.map((given) => ({ given, chain: viemChain(given) }));
  const elsewhere = config.elsewhere.map(unreadChain);
  const rails = railsOf();
  const onRefusal = (why: string) => log.warn({ why }, 'the signer refuses to sign a relay transaction; retrying');
  const app: CustodyApp = { db, signer, rails, onRefusal };
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

  /** Returns the jobs of the blockchain. Waits for its nodes, the signer and the database. */
  async function open(
    { blockchain }: Chain,
    work: () => Promise<readonly JobHandler[]>,
  ): Promise<readonly JobHandler[]> {
    for (;;) {
      try {
        const handlers = await work();
        for (const { kind } of handlers) if (!kind.startsWith('submit')) await ensureJob(db, kind, blockchain);
        retries.worked(`open ${blockchain}`);
        return handlers;
      } catch (error) {
        if (!isAway(error)) throw error;
        retries.failed(`open ${blockchain}`, error, 'the chain, the signer or the database does not answer; retrying');
        // So that a payment that waits for this network can say why.
        await noteFailure(db, `track ${blockchain}`, blockchain, describeError(error)).catch(() => {});
        await sleep(CHAIN_RETRY_MS, undefined, { signal });
      }
    }
  }

  async function openOurs(given: NetworkConfig, chain: Chain): Promise<readonly JobHandler[]> {
    const network = await openNetwork(db, chain, toSettings(config, given));
    await registerRelayers(app, network);
    await watchGas(app, network);
    return handlersOf(app, network, config);
  }

  async function begin(): Promise<void> {
    await prepare({ config, db, log, role: 'worker' }, signal, async () => {
      await keepSendRules(db, config.sendRules, config.mode === 'sandbox');
      await ensureServiceJobs(db);
      // Before the networks are open, so that `/readyz` shows that their jobs are not done.
      for (const { chain } of chains)
        for (const name of STEADY_JOBS) await ensureJob(db, `${name} ${chain.blockchain}`, chain.blockchain);
    });
    isPrepared = true;
    const watched = {
      due: watchDue(db),
      onError: (job: Job, error: Error) => retries.failed(job.kind, error, 'a job failed; retrying'),
      onPass(kind: string, failed: boolean) {
        passes.note(kind);
        if (!failed) retries.worked(kind);
      },
      onHang: (kind: string) => log.error({ incident: 'hang', job: kind }, 'a job hangs'),
    };
    const places = openDestinations([...chains.map(({ chain }) => chain), ...elsewhere], CURRENCY.symbol);
    const handlers = handlersOfService({ db, auditDb, signer, sender, places, config, log });
    running.push(runJobs(db, handlers, signal, watched));
    for (const chain of elsewhere) {
      const handlers = await open(chain, async () => handlersElsewhere(app, await openNetwork(db, chain), config));
      running.push(runJobs(db, handlers, signal, watched));
    }
    await Promise.all(
      chains.map(async ({ given, chain }) => {
        running.push(reportNodes(db, chain, log, signal));
        const handlers = await open(chain, () => openOurs(given, chain));
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
