import { formatUsdc } from '../../core/money.ts';
import type { Party, Payment } from '../../core/payment.ts';
import { renderTime } from './renderTime.ts';

/** The form in which both APIs show a payment. */
export function renderPayment(payment: Payment): Record<string, unknown> {
  return {
    transaction_id: payment.paymentId,
    state: payment.state,
    kind: payment.kind,
    amount: formatUsdc(payment.amount),
    blockchain: payment.blockchain,
    from: renderParty(payment.from),
    to: renderParty(payment.to),
    tx_hash: payment.txHash,
    network_fee: payment.networkFee === null ? null : formatUsdc(payment.networkFee),
    error_reason: payment.errorReason,
    created_at: renderTime(payment.createdAt.getTime()),
    updated_at: renderTime(payment.updatedAt.getTime()),
    timeline: payment.timeline.map(({ at, state, txHash, note }) => ({
      at: renderTime(at.getTime()),
      state,
      tx_hash: txHash,
      note,
    })),
    ...(payment.paymentNote != null && { payment_note: payment.paymentNote }),
    ...(payment.refundOf != null && { refund_of: payment.refundOf }),
    ...(payment.reason != null && { reason: payment.reason }),
  };
}

/** The member of a payment's JSON, after another one; empty without a note. */
export const printNote = (note: string | null | undefined): string =>
  note == null ? '' : `,"payment_note":${JSON.stringify(note)}`;

/** The members that say why the service made a payment, after another one; empty if it did not. */
export function printReason({ refundOf, reason }: Pick<Payment, 'refundOf' | 'reason'>): string {
  const refund = refundOf == null ? '' : `,"refund_of":"${refundOf}"`;
  return reason == null ? refund : `${refund},"reason":${JSON.stringify(reason)}`;
}

/** For callers who may see the payment, but not what people have written. */
export const withoutNote = (payment: Payment): Payment => ({ ...payment, paymentNote: null });

/** The payment in a person's history, with their spendable balance after it. */
export const renderListed = (payment: Payment, availableAfter: bigint): Record<string, unknown> => ({
  ...renderPayment(payment),
  available_after: formatUsdc(availableAfter),
});

/**
 * The same form as JSON text, with further members before and after it; only for a payment between two people that was
 * just made. Built without `JSON.stringify`, which took twice as long, because every such payment is answered with it.
 * Nothing else needs escaping than the note: ids, times, amounts, and names that match ^[a-z0-9_]+$.
 */
export function printPaid(payment: Payment, before: string, after: string): string {
  return (
    `{${before}"transaction_id":"${payment.paymentId}","state":"COMPLETE","kind":"user",` +
    `"amount":"${formatUsdc(payment.amount)}","blockchain":"${payment.blockchain}","from":${printParty(payment.from)},` +
    `"to":${printParty(payment.to)}${printPast(payment.createdAt.getTime())}${printNote(payment.paymentNote)}${after}}`
  );
}

let pastMs = Number.NaN;
let past = '';

/** The part that all payments of a batch share, printed once: they were made at the same time. */
function printPast(ms: number): string {
  if (ms !== pastMs) {
    const at = renderTime(ms);
    const timeline = [{ at, state: 'COMPLETE', tx_hash: null, note: null }];
    const members = { tx_hash: null, network_fee: null, error_reason: null, created_at: at, updated_at: at, timeline };
    past = `,${JSON.stringify(members).slice(1, -1)}`;
    pastMs = ms;
  }
  return past;
}

function printParty(party: Party): string {
  if ('username' in party && party.username !== null && party.redirectedFrom === undefined) {
    return `{"username":"${party.username}"}`;
  }
  return JSON.stringify(renderParty(party));
}

export function renderParty(party: Party): Record<string, string | boolean | null> {
  if ('address' in party) return { address: party.address };
  if ('walletId' in party) return { wallet_id: party.walletId };
  if (party.isService) return { username: null, service: true };
  if (party.redirectedFrom === undefined) return { username: party.username };
  return { username: party.username, redirected_from: party.redirectedFrom };
}
