/** Operations of workers on jobs. Each also races itself: a lease reduces double work but does not prevent it. */
import { claimInOrder } from '../../../../../server/src/events/webhooks/attempts.ts';
import type { Receiver } from '../../../../../server/src/events/webhooks/receiver.ts';
import { claimJobs, endJobs, letJobsWait } from '../../../../../server/src/jobs/jobs.ts';
import { isSigningPaused } from '../../../../../server/src/operators/pauses.ts';
import { runPayouts } from '../../../../../server/src/payments/payouts/runPayouts.ts';
import { submitJob } from '../../../../../server/src/payments/sends/sendCommand.ts';
import { submitPayments } from '../../../../../server/src/payments/sends/submitPayments.ts';
import { HOME } from '../../../values.ts';
import type { Operation } from '../operation.ts';

/** Longer than any schedule takes. */
const LEASE_MS = 600_000;

const submit = (payment: 'accepted' | 'waiting', claims: boolean): Operation => ({
  needs: [payment],
  touches: [payment],
  call: () => ({ do: 'submit', payment, claims }),
  async run({ db, custody, network }, scene) {
    if (!claims) {
      const [outcome] = await submitPayments(custody, network, [scene.id(payment)]);
      return String(outcome instanceof Error ? outcome.message : typeof outcome === 'object' ? 'done' : outcome);
    }
    const jobs = await claimJobs(db, submitJob(HOME), 1, LEASE_MS);
    if (jobs.length === 0) return 'nothing to do';
    const [outcome] = await submitPayments(custody, network, [jobs[0]!.key]);
    if (outcome !== 'done') return String(outcome);
    await endJobs(db, jobs);
    return 'done';
  },
});

/** A worker that may not start anything now: it lets its job wait, and checks once more. */
const waitForResume: Operation = {
  needs: ['accepted', 'chainPaused'],
  touches: ['chain pause'],
  call: () => ({ do: 'wait', payment: 'accepted' }),
  async run({ db }) {
    for (let turn = 0; turn < 2; turn++) {
      const jobs = await claimJobs(db, submitJob(HOME), 1, LEASE_MS);
      if (jobs.length === 0) return 'nothing to do';
      if (!(await isSigningPaused(db, HOME))) return 'goes on';
      await letJobsWait(db, jobs, 'resume');
    }
    return 'waits';
  },
};

export const workersDo: Readonly<Record<string, Operation>> = {
  worker_submits: submit('accepted', true),
  late_worker_submits: submit('accepted', false),
  worker_submits_waiting: submit('waiting', false),
  worker_waits: waitForResume,
  event_is_taken: {
    needs: ['endpoint'],
    touches: ['endpoint'],
    call: () => ({ do: 'claimDelivery' }),
    async run({ db }, scene) {
      const [first] = await claimInOrder(db, { endpointId: scene.id('endpoint') } as Receiver, 1);
      return first?.eventId ?? 'nothing';
    },
  },
  payout_runs: {
    needs: ['running'],
    touches: ['running', 'alice', 'zed', 'payoutKey', 'names'],
    call: () => ({ do: 'runPayout', payout: 'running' }),
    async run({ db }, scene) {
      const places = { askToken: async () => ({ isPaused: false, blacklisted: [] }) };
      const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
      const [outcome] = await runPayouts({ db, sendRules, places }, [scene.id('running')]);
      if (outcome instanceof Error) throw outcome;
      return outcome === 'done' ? 'done' : 'again';
    },
  },
};
