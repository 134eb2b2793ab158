/** The worker's jobs by name. Each is a separate step. */
import { askAgain } from '../../../../server/src/custody/coins/blockedWallets.ts';
import { followLedger } from '../../../../server/src/custody/coins/keptPositions.ts';
import { pauseOnDrift } from '../../../../server/src/custody/coins/pauseOnDrift.ts';
import { settleWallets } from '../../../../server/src/custody/coins/settleWallets.ts';
import { watchGas } from '../../../../server/src/custody/eip3009/relayers.ts';
import type { Network } from '../../../../server/src/custody/network.ts';
import type { CustodyApp } from '../../../../server/src/custody/rail.ts';
import { claimJobs, endJobs, letJobsWait, postponeJobs } from '../../../../server/src/jobs/jobs.ts';
import type { JobOutcome } from '../../../../server/src/jobs/runJobs.ts';
import { openDestinations } from '../../../../server/src/payments/destinations/openDestinations.ts';
import { PAYOUT_JOB, runPayouts } from '../../../../server/src/payments/payouts/runPayouts.ts';
import { expireRequests } from '../../../../server/src/payments/requests/expireRequests.ts';
import { carryPayments } from '../../../../server/src/payments/sends/carryPayments.ts';
import { failPayments } from '../../../../server/src/payments/sends/failPayments.ts';
import { type SendRules, submitJob } from '../../../../server/src/payments/sends/sendCommand.ts';
import { startPayments } from '../../../../server/src/payments/sends/startPayments.ts';
import { submitPayments } from '../../../../server/src/payments/sends/submitPayments.ts';
import { trackPayments } from '../../../../server/src/payments/tracking/trackPayments.ts';
import { HOME } from '../../values.ts';

export interface WorkerApp extends CustodyApp {
  readonly network: Network;
  readonly sendRules: SendRules;
}

/** Leases end immediately, so a worker that has died holds no job. */
async function runKeyed(
  app: WorkerApp,
  kind: string,
  batch: number,
  run: (keys: readonly string[]) => Promise<readonly JobOutcome[]>,
): Promise<void> {
  const jobs = await claimJobs(app.db, kind, batch, 0);
  if (jobs.length === 0) return;
  const outcomes = await run(jobs.map(({ key }) => key));
  const pick = (isSo: (one: JobOutcome) => boolean) => jobs.filter((_, i) => isSo(outcomes[i]!));
  await endJobs(
    app.db,
    pick((one) => one === 'done'),
  );
  for (const [i, one] of outcomes.entries()) {
    if (typeof one === 'object' && 'waitsFor' in one) await letJobsWait(app.db, [jobs[i]!], one.waitsFor);
  }
  await postponeJobs(
    app.db,
    pick((one) => one !== 'done' && !('waitsFor' in (one as object))),
    0,
  );
  const failed = outcomes.find((one) => one instanceof Error);
  if (failed) throw failed;
}

export const JOBS = {
  submit: (app) => runKeyed(app, submitJob(HOME), 100, (keys) => submitPayments(app, app.network, keys)),
  start: (app) => startPayments(app, app.network),
  carry: (app) => carryPayments(app, app.network),
  async track(app) {
    while (await trackPayments(app, app.network));
  },
  fail: (app) => failPayments(app, app.network),
  gas: (app) => watchGas(app, app.network),
  async settle(app) {
    for (const asset of app.network.assets) await settleWallets(app, app.network, asset);
  },
  async positions(app) {
    await followLedger(app.db);
    for (const asset of app.network.assets) await askAgain(app.db, app.network, asset);
  },
  reconcile: (app) => pauseOnDrift(app, app.network),
  async expire(app) {
    while (await expireRequests(app.db));
  },
  wallet: (app) =>
    runKeyed(app, 'wallet', 20, async (userIds) => {
      const outcomes: JobOutcome[] = [];
      for (const userId of userIds) {
        const { outcome } = await app.signer.makeWallet(userId);
        outcomes.push(outcome === 'accepted' ? 'done' : new Error('the signer made no wallet'));
      }
      return outcomes;
    }),
  payout: (app) => {
    const places = openDestinations([app.network.chain], 'USDC');
    return runKeyed(app, PAYOUT_JOB, 4, (ids) => runPayouts({ db: app.db, sendRules: app.sendRules, places }, ids));
  },
} satisfies Record<string, (app: WorkerApp) => Promise<unknown>>;

export type JobName = keyof typeof JOBS;
export const JOB_NAMES = Object.keys(JOBS) as JobName[];
