/** Verbs of `florin payment` for sends that are not final: two operators approve or deny one, and one operator cancels it. */
import { PayError } from '../../../core/errors.ts';
import { formatUsdc } from '../../../core/money.ts';
import type { Queryable } from '../../../db/database.ts';
import { nameOf } from '../../../operators/recordAudit.ts';
import { approvePayment, listWaiting } from '../../../payments/sends/approvePayment.ts';
import { type Cancelled, cancelPayment } from '../../../payments/sends/cancelPayment.ts';
import { type Denial, denyPayment, previewDenial } from '../../../payments/sends/denyPayment.ts';
import { isFinal } from '../../../payments/state.ts';
import { describeNotOperator, requireApprover } from '../../program/approvers.ts';
import { verb } from '../../program/command.ts';
import { CommandFault, EXIT } from '../../program/faults.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { getPaymentId } from '../../program/references.ts';
import { countOf, renderFields, renderTime } from '../../program/render.ts';
import { describeWaiting, readPaymentFacts } from './paymentFacts.ts';

export const waiting = verb({
  summary: 'Shows the sends that wait for two approvals, and who has approved them',
  reads: true,
  async run({ db }) {
    const all = await listWaiting(db);
    const json = all.map((one) => ({
      transaction_id: one.paymentId,
      created_at: one.createdAt,
      amount: formatUsdc(one.amount),
      blockchain: one.blockchain,
      wallet_id: one.walletId,
      payer_user_id: one.payerId,
      payer_username: one.payer,
      payer_kyc_status: one.kycStatus,
      destination: one.destination,
      is_new_address: one.isNewAddress,
      key: one.keyName,
      not_before: one.notBefore,
      approvals_needed: one.needed,
      approved_by: one.approvedBy,
    }));
    const text: string[] = [];
    for (const one of all) text.push(renderFields(await describeWaiting(db, one)));
    const others = await describeOthers(db);
    return { text: `${text.join('\n') || 'No send waits for approval.\n'}${others && `\n${others}`}`, json };
  },
});

/** Payouts, refunds and corrections have commands of their own. */
async function describeOthers(db: Queryable): Promise<string> {
  const [row] = await db.query<{ payouts: number; refunds: number; corrections: number }>(
    `SELECT (SELECT count(*)::int FROM payouts WHERE state = 'approving') AS payouts,
            (SELECT count(*)::int FROM refunds WHERE booked_at IS NULL AND denied_at IS NULL) AS refunds,
            (SELECT count(*)::int FROM corrections WHERE booked_at IS NULL) AS corrections`,
  );
  const { payouts, refunds, corrections } = row!;
  return (
    [
      [payouts, 'payout', 'florin payout list --state approving'],
      [refunds, 'refund', 'florin payment refunds'],
      [corrections, 'correction', 'florin books check'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, what, command]) => `${countOf(count, what)} ${count === 1 ? 'waits' : 'wait'} too: ${command}\n`)
    .join('');
}

export const approve = verb({
  summary: 'Approves a send that waits for two approvals, as your database login',
  about: 'Only operators with the role admin or risk can approve. The second approval must come from another person.',
  words: ['PAYMENT'],
  async plan({ db, allow }, { words: [word = ''] }) {
    const paymentId = await getPaymentId(db, word);
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const name = nameOf(actor);
    const [waiting] = await listWaiting(db, paymentId);
    if (!waiting) throw new CommandFault(NOT_WAITING(paymentId));
    if (waiting.approvedBy.includes(name)) throw new CommandFault(TWICE(name), EXIT.forbidden);
    const { approvedBy, needed, notBefore } = waiting;
    const isLater = notBefore !== null && notBefore > new Date();
    return {
      title: `Approve this send, as ${name}.`,
      facts: await describeWaiting(db, waiting),
      changes: [
        {
          what: 'effect',
          before: `waits, ${approvedBy.length} of ${needed}`,
          after:
            approvedBy.length + 1 < needed
              ? `waits for another operator, ${approvedBy.length + 1} of ${needed}`
              : `it is sent ${isLater ? `at ${renderTime(notBefore)}` : 'now'}. Once it is signed, it may be too late to stop it`,
        },
      ],
      async carryOut() {
        const approval = await approvePayment({ db }, paymentId);
        switch (approval.outcome) {
          case 'approved':
            return `Approved: ${approval.approvals} of ${approval.needed}.\n`;
          case 'twice':
            throw new CommandFault(TWICE(name), EXIT.forbidden);
          case 'not_waiting':
            throw new CommandFault(NOT_WAITING(paymentId));
          case 'not_operator':
            throw await describeNotOperator(db, actor);
        }
      },
    };
  },
});

const TWICE = (name: string) => `${name} has already approved it; the second approval must come from another person`;
const NOT_WAITING = (paymentId: string) => `${paymentId} does not wait for approval: florin payment show ${paymentId}`;

const ASKED = `The payment may have been signed or sent already, so it is being cancelled on chain or at the provider. Its money stays
held until the outcome is certain.
`;

export const deny = verb({
  summary: 'Denies a send that waits for two approvals; one denial is enough',
  about: `The payment becomes DENIED and its money is available again immediately. The customer reads that it was denied; the reason
is for operators (payment show, audit). After a restore, the payment may have been signed or sent before: then it is cancelled
on chain or at the provider, and the reason is only in the audit log.`,
  words: ['PAYMENT'],
  options: { why: WHY },
  examples: ['payment deny 7d9f3c1e-… --why "the customer did not ask for it"'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const paymentId = await getPaymentId(db, word);
    const reason = parseReason(options.why);
    const actor = await allow('approve');
    const { payment, facts } = await readPaymentFacts(db, paymentId);
    const preview = await previewDenial(db, paymentId);
    if (preview !== 'denied') return describeDenial(preview, paymentId);
    const [waiting] = await listWaiting(db, paymentId);
    return {
      title: 'Deny this send.',
      facts: [...(waiting ? await describeWaiting(db, waiting) : facts), ['why', reason]],
      changes: [{ what: 'state', before: payment.state, after: 'DENIED, and its money is available again' }],
      carryOut: async () => describeDenial(await db.tx((tx) => denyPayment(tx, paymentId, reason, actor)), paymentId),
    };
  },
});

function describeDenial(denial: Denial, paymentId: string): string {
  if (denial === 'denied') return 'Denied; its money is available again.\n';
  if (denial === 'asked') return ASKED;
  if (denial === 'not_waiting') throw new CommandFault(NOT_WAITING(paymentId));
  throw new CommandFault(`${paymentId} is already signed; cancel it: florin payment cancel ${paymentId}`);
}

export const cancel = verb({
  summary: 'Cancels a payment to an address that is not final',
  about: `Takes effect immediately if nothing is signed or handed to a provider yet. Otherwise the payment is cancelled on chain or at
the provider, and the money stays held until the outcome is certain. This also happens for two hours after a restore,
because the payment may have been signed before.`,
  words: ['PAYMENT'],
  async plan({ db, allow }, { words: [word = ''] }) {
    const paymentId = await getPaymentId(db, word);
    const actor = await allow('cancel');
    const { payment, facts } = await readPaymentFacts(db, paymentId);
    const { state } = payment;
    if (state === 'CANCELLED') return CANCELLED.before;
    if (isFinal(state)) throw new PayError('payment.ended', { state });
    return {
      title: 'Cancel this payment.',
      facts,
      changes: [
        {
          what: 'state',
          before: state,
          after: 'CANCELLED; COMPLETE if it was signed and the chain pays it first',
        },
      ],
      carryOut: async () => CANCELLED[await db.tx((tx) => cancelPayment(tx, { paymentId, actor }))],
    };
  },
});

const CANCELLED: Readonly<Record<Cancelled, string>> = {
  released: 'Cancelled: nothing was signed, and the money is available again.\n',
  asked: ASKED,
  before: 'A cancellation was already requested.\n',
};
