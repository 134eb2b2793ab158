/** Decisions that need two people are made by two operators with that right, each under their own login. */
import {
  addedTo,
  amountOf,
  becameAny,
  changesOf,
  countApprovals,
  type Deed,
  type Law,
  lacksApprovals,
  mayApprove,
} from './law.ts';

const RESERVED = ['CLEARED', 'QUEUED', 'SENT', 'STUCK', 'CONFIRMED', 'COMPLETE'];

function payments(deed: Deed): string[] {
  const started = [
    ...changesOf(deed, 'payments')
      .filter((change) => becameAny(change, 'state', RESERVED))
      .map(({ key }) => key),
    ...addedTo(deed, 'coin_moves')
      .filter(({ purpose, state }) => purpose === 'send' && state === 'open')
      .map(({ move_id }) => move_id!),
  ];
  return started.flatMap((id) => {
    const payment = deed.after.find('payments', id);
    return payment && lacksApprovals(deed, payment) ? [`payment ${id} continues without two approvals`] : [];
  });
}

function payouts(deed: Deed): string[] {
  const rules = deed.before.rows('send_rules')[0]!;
  return changesOf(deed, 'payouts').flatMap((change) => {
    const { before, after } = change;
    if (!after || !becameAny(change, 'state', ['running', 'waiting', 'complete'])) return [];
    if (before?.state !== 'checked' && before?.state !== 'approving') return [];
    // The rows count, whatever the caller claimed about how many are known already.
    const total = deed.after
      .rows('payout_items')
      .filter(
        ({ payout_id, payment_id, state }) =>
          payout_id === after.payout_id && state === 'ready' && !deed.after.find('transfers', payment_id),
      )
      .reduce((sum, { amount }) => sum + amountOf(amount), 0n);
    const isLarge = rules.approval_threshold !== null && total >= amountOf(rules.approval_threshold);
    const needed = isLarge || after.approvals_needed === '2' ? 2 : 0;
    const given = countApprovals(deed.after, 'payout_approvals', 'payout_id', after.payout_id!);
    return needed > given ? [`a payout of ${total} runs with ${given} of ${needed} approvals`] : [];
  });
}

/** Approvals carry the approver's login. */
function approvals(deed: Deed): string[] {
  return [...addedTo(deed, 'approvals'), ...addedTo(deed, 'payout_approvals')].flatMap(({ operator, approved_at }) =>
    operator === deed.login && mayApprove(deed.before, operator, approved_at)
      ? []
      : [`${deed.actor} approves as ${operator}`],
  );
}

/** Proposals and decisions about corrections, refunds and transfers that a provider no longer knows. */
function decisions(deed: Deed): string[] {
  return ['corrections', 'refunds', 'transfer_decisions'].flatMap((table) =>
    changesOf(deed, table).flatMap(({ before, after, key }) => {
      if (!after) return [`${table} ${key} was removed`];
      const faults: string[] = [];
      const propose =
        !before && (after.proposed_by !== deed.login || !mayApprove(deed.before, deed.login, after.proposed_at));
      if (propose) faults.push(`${table} ${key} is proposed by ${after.proposed_by}`);
      if (before && before.proposed_by !== after.proposed_by) faults.push(`${table} ${key} has another proposer`);
      if (after.approved_by && after.approved_by !== before?.approved_by) {
        const isOther = after.approved_by === deed.login && after.approved_by !== after.proposed_by;
        const now = new Date().toISOString();
        if (
          !isOther ||
          !mayApprove(deed.before, after.approved_by, now) ||
          !mayApprove(deed.before, after.proposed_by, after.proposed_at)
        ) {
          faults.push(`${table} ${key} of ${after.proposed_by} is approved by ${after.approved_by}`);
        }
      }
      return faults;
    }),
  );
}

export const twoPeople: Law = (deed) => [...payments(deed), ...payouts(deed), ...approvals(deed), ...decisions(deed)];
