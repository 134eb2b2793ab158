import type { Party, Payment, PaymentKind, PaymentState, TimelineStep } from '../../core/payment.ts';
import { describeEnd } from '../describeEnd.ts';
import { isFinal, paymentStates } from '../state.ts';
import { bookingKind, describeBooking, NO_PARTY } from './describeBooking.ts';
import { describeAcceptance, describeApprovals, describeClearance, type Waits } from './describeWaits.ts';

/** A payment of any kind, as SQL reads it. Names are current: an old name may belong to someone else by now. */
export interface PaymentRow {
  readonly transfer_id: string;
  readonly kind: 'user' | 'deposit' | 'hold' | 'internal';
  readonly amount: bigint;
  readonly blockchain: string;
  readonly created_at: Date;
  readonly from_address: string | null;
  readonly from_username: string | null;
  readonly to_username: string | null;
  readonly typed_name: string | null;
  readonly state: PaymentState | null;
  readonly destination: string | null;
  readonly wallet_id: string | null;
  readonly sender_shown: 'username' | 'wallet' | null;
  readonly tx_hash: string | null;
  readonly network_fee: bigint | null;
  readonly error_reason: string | null;
  readonly updated_at: Date | null;
  readonly approvals_needed: number | null;
  readonly approved_at: readonly Date[] | null;
  readonly not_before: Date | null;
  readonly from_service: boolean;
  readonly to_service: boolean;
  readonly debt_of: string | null;
  readonly reason: string | null;
  readonly refund_of: string | null;
  readonly payment_note: string | null;
  readonly steps: readonly { state: PaymentState; at: string; tx_hash: string | null }[] | null;
}

/**
 * The transfers that people see as payments; the others are later steps of a payment, or moves between our own
 * accounts. `debit` and `credit` are the accounts of the transfer.
 */
export const IS_PAYMENT = `(t.kind IN ('user', 'deposit', 'hold')
  OR t.kind = 'internal' AND coalesce(debit.user_id, credit.user_id) IS NOT NULL)`;

/** `t` is a row of `transfers`. */
export const PAYMENT_COLUMNS = `
  t.transfer_id, t.kind, coalesce(p.amount, t.amount) AS amount, s.blockchain, t.created_at,
  CASE t.kind WHEN 'deposit' THEN t.from_name END AS from_address,
  debit.user_id IS NULL AS from_service, credit.user_id IS NULL AS to_service,
  payer.username AS from_username, payee.username AS to_username, t.typed_name,
  p.state, p.destination, p.wallet_id, p.sender_shown,
  CASE t.kind WHEN 'deposit' THEN (SELECT d.tx_hash FROM deposits d WHERE d.transfer_id = t.transfer_id)
              ELSE p.tx_hash END AS tx_hash, p.network_fee, p.error_reason, p.updated_at,
  p.approvals_needed, p.not_before,
  CASE t.kind WHEN 'internal' THEN t.from_name END AS debt_of,
  regexp_replace(CASE t.kind
    WHEN 'internal' THEN (SELECT c.reason FROM corrections c WHERE c.correction_id = t.transfer_id)
    WHEN 'user' THEN rf.reason END, '\\s+', ' ', 'g') AS reason, rf.payment_id AS refund_of,
  (SELECT n.note FROM payment_notes n WHERE n.payment_id = t.transfer_id) AS payment_note,
  CASE WHEN p.approvals_needed > 0 THEN ARRAY(
    SELECT a.approved_at FROM counted_approvals(p) a ORDER BY a.approved_at) END AS approved_at,
  CASE t.kind WHEN 'hold' THEN (
    SELECT json_agg(json_build_object('state', e.state, 'at', e.at, 'tx_hash', e.tx_hash) ORDER BY e.seq)
      FROM payment_events e WHERE e.payment_id = t.transfer_id) END AS steps`;

export const PAYMENT_JOINS = `
  JOIN assets USING (asset_id) JOIN networks s USING (network_id)
  JOIN accounts debit ON debit.account_id = t.debit_account
  JOIN accounts credit ON credit.account_id = t.credit_account
  LEFT JOIN usernames payer ON payer.user_id = debit.user_id AND payer.redirect_until IS NULL
  LEFT JOIN usernames payee ON payee.user_id = credit.user_id AND payee.redirect_until IS NULL
  LEFT JOIN payments p ON t.kind = 'hold' AND p.payment_id = t.transfer_id
  LEFT JOIN refunds rf ON t.kind = 'user' AND rf.refund_id = t.transfer_id`;

const KINDS = { user: 'user', deposit: 'deposit', hold: 'chain' } as const;

const kindOf = ({ kind, debt_of }: PaymentRow): PaymentKind =>
  kind === 'internal' ? bookingKind(debt_of) : KINDS[kind];

export function toPayment(row: PaymentRow): Payment {
  const state = row.kind === 'hold' ? (row.state ?? 'INITIATED') : 'COMPLETE';
  return {
    paymentId: row.transfer_id,
    state,
    kind: kindOf(row),
    amount: row.amount,
    blockchain: row.blockchain,
    from: toSender(row),
    to: toReceiver(row),
    txHash: row.tx_hash,
    networkFee: row.network_fee,
    errorReason: describeEnd(state, row.error_reason),
    errorDetail: row.error_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
    timeline: toTimeline(row, state),
    paymentNote: row.payment_note,
    refundOf: row.refund_of,
    reason: row.reason,
  };
}

function toTimeline(row: PaymentRow, state: PaymentState): TimelineStep[] {
  if (!row.steps) {
    const { from_service: isCredit, debt_of: debtOf, reason } = row;
    const note = row.kind === 'internal' ? describeBooking({ isCredit, debtOf, reason }) : null;
    return [{ state, at: row.created_at, txHash: row.tx_hash, note }];
  }
  const waits: Waits = {
    approvalsNeeded: row.approvals_needed ?? 0,
    approvedAt: row.approved_at ?? [],
    notBefore: row.not_before,
  };
  const steps = row.steps.map((step) => toStep(step, waits));
  if (waits.approvedAt.length === 0) return steps;
  // Approvals come first, because the sort is stable: an approval comes before the state that it caused.
  return [...describeApprovals(waits), ...steps].sort((a, b) => a.at.getTime() - b.at.getTime());
}

function toStep(step: NonNullable<PaymentRow['steps']>[number], waits: Waits): TimelineStep {
  const at = new Date(step.at);
  return { state: step.state, at, txHash: step.tx_hash, note: describe(step.state, at, waits) };
}

function describe(state: PaymentState, at: Date, waits: Waits): string | null {
  if (state === 'INITIATED') return describeAcceptance(waits);
  if (state === 'CLEARED') return describeClearance(waits, at);
  // An unpaid end is explained by `error_reason`.
  return isFinal(state) && state !== 'COMPLETE' ? null : paymentStates[state].means;
}

function toSender(row: PaymentRow): Party {
  if (row.kind === 'deposit') return { address: row.from_address };
  if (row.kind === 'internal' && row.from_service) return NO_PARTY;
  if (row.wallet_id !== null && row.sender_shown === 'wallet') return { walletId: row.wallet_id };
  return { username: row.from_username, ...(row.kind === 'user' && row.from_service && { isService: true }) };
}

function toReceiver(row: PaymentRow): Party {
  if (row.kind === 'hold') return { address: row.destination };
  if (row.kind === 'internal' && !row.from_service) return NO_PARTY;
  if (row.to_service) return { username: null, isService: true };
  const { to_username: username, typed_name: redirectedFrom } = row;
  return { username, ...(redirectedFrom !== null && redirectedFrom !== username && { redirectedFrom }) };
}
