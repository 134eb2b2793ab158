/** The jobs of a worker, and how often each runs. */
import type { Logger } from 'pino';
import { pauseBetweenLooksMs } from '../adapters/chain/blockTime.ts';
import { PROVIDER_RAILS } from '../adapters/wallets/providers.ts';
import type { RailName } from '../core/providers.ts';
import type { Signer } from '../core/signer.ts';
import { AUDIT_JOB, openAuditor } from '../custody/books/openAuditor.ts';
import { askAgain } from '../custody/coins/blockedWallets.ts';
import { followLedger } from '../custody/coins/keptPositions.ts';
import { pauseOnDrift } from '../custody/coins/pauseOnDrift.ts';
import { settleWallets } from '../custody/coins/settleWallets.ts';
import { eip3009Rail } from '../custody/eip3009/eip3009Rail.ts';
import { watchGas } from '../custody/eip3009/relayers.ts';
import { forgetRelayTxBytes } from '../custody/eip3009/relaying/forgetRelayTxBytes.ts';
import type { Network } from '../custody/network.ts';
import { providerRail } from '../custody/provider/providerRail.ts';
import type { CustodyApp, Rails } from '../custody/rail.ts';
import { compareCoins } from '../custody/unwatchedChains/compareCoins.ts';
import { keepEverBlacklisted } from '../custody/watch/everBlacklisted.ts';
import type { Db } from '../db/database.ts';
import type { Sender } from '../events/webhooks/openSender.ts';
import { FOLLOW_JOB, webhookJobs } from '../events/webhooks/webhookJobs.ts';
import { ensureJob } from '../jobs/jobs.ts';
import type { JobHandler } from '../jobs/runJobs.ts';
import { forgetOld } from '../operators/forgetOld.ts';
import { PAYOUT_JOB, type RunApp, runPayouts } from '../payments/payouts/runPayouts.ts';
import { expireRequests } from '../payments/requests/expireRequests.ts';
import { carryPayments } from '../payments/sends/carryPayments.ts';
import { failPayments } from '../payments/sends/failPayments.ts';
import { submitJob } from '../payments/sends/sendCommand.ts';
import { startPayments } from '../payments/sends/startPayments.ts';
import { submitPayments } from '../payments/sends/submitPayments.ts';
import { trackPayments } from '../payments/tracking/trackPayments.ts';
import { trackUnwatchedChain } from '../payments/tracking/trackUnwatchedChain.ts';
import type { Config } from './config/config.ts';

const CARRY_EVERY_MS = 150;
/** While a node is away, each steady job asks once a second, so that sends and deposits continue soon after. */
const RETRY_MS = 1_000;
const FAIL_EVERY_MS = 2_000;
/** Polls a provider about blockchains that our nodes do not read. */
const LISTEN_EVERY_MS = 2_000;
const GAS_EVERY_MS = 5_000;
/** Infrequent, so that one pass covers many payments of a person; wallets that lack coins do not wait for it. */
const POSITIONS_EVERY_MS = 120_000;
const SUBMIT_BATCH = 100;
const BLACKLIST_PAUSE_MS = 250;
const FORGET = 'forget';
const FORGET_PAUSE_MS = 1_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET_BATCH = 500;
const WALLETS_BATCH = 20;
const PAYOUTS_BATCH = 4;
const EXPIRE = 'expire';
const EXPIRE_EVERY_MS = 5_000;

interface Service {
  readonly db: Db;
  readonly auditDb: Db;
  readonly signer: Signer;
  readonly sender: Sender;
  readonly places: RunApp['places'];
  readonly config: Config;
  readonly log: Logger;
}

/** The jobs that belong to no blockchain. */
export const handlersOfService = ({ db, auditDb, signer, sender, places, config, log }: Service): JobHandler[] => [
  forgetHandler(db, config),
  walletHandler(signer),
  expireHandler(db),
  auditHandler(auditDb, log),
  payoutHandler({ db, sendRules: config.sendRules, places }),
  ...webhookJobs(db, sender),
];

export async function ensureServiceJobs(db: Db): Promise<void> {
  await ensureJob(db, FORGET, 'tables');
  await ensureJob(db, EXPIRE, 'requests');
  await ensureJob(db, AUDIT_JOB, 'books');
  await ensureJob(db, FOLLOW_JOB, 'all');
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
const blacklistHandler = (db: Db, network: Network): JobHandler => ({
  kind: `blacklist ${network.chain.blockchain}`,
  batch: 1,
  run: async () => [
    {
      againAfterMs: (await keepEverBlacklisted(db, network)) ? BLACKLIST_PAUSE_MS : pauseBetweenLooksMs(network.chain),
    },
  ],
});

/** The rail of each provider's wallets; only of those on the rail `only`, if given. */
export const railsOf = (only?: RailName): Rails =>
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
    retryWithinMs: Math.max(everyMs, RETRY_MS),
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
export function handlersElsewhere(given: CustodyApp, network: Network, { custody }: Config): JobHandler[] {
  const app = { ...given, rails: railsOf('provider') };
  const again = repeatOn(network);
  return [
    ...handlersOfSends(app, network, again),
    again('track', LISTEN_EVERY_MS, () => trackUnwatchedChain(app, network)),
    again('reconcile', custody.reconcileEveryMs, () => compareCoins(app, network)),
  ];
}

/** The jobs of one blockchain. Each kind has its own loop, so that a slow one does not delay the others. */
export function handlersOf(app: CustodyApp, network: Network, { custody, retention, sendRules }: Config): JobHandler[] {
  const { blockchain } = network.chain;
  const again = repeatOn(network);
  return [
    ...handlersOfSends(app, network, again),
    {
      kind: `track ${blockchain}`,
      batch: 1,
      retryWithinMs: RETRY_MS,
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
    ...(sendRules.blacklistSeconds ? [blacklistHandler(app.db, network)] : []),
    again('reconcile', custody.reconcileEveryMs, () => pauseOnDrift(app, network)),
    again('forget carriers', FORGET_EVERY_MS, async () => {
      const depth = { olderThanDays: retention.carriers, limit: FORGET_BATCH };
      while (retention.carriers > 0 && (await forgetRelayTxBytes(app.db, network.networkId, depth)) === FORGET_BATCH);
    }),
  ];
}
