import { formatUsdc } from '../core/money.ts';
import type { Party, Payment } from '../core/payment.ts';

/** The one shape in which both APIs show a payment. */
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
    created_at: renderTime(payment.createdAt),
    updated_at: renderTime(payment.updatedAt),
    timeline: payment.timeline.map(({ at, state, txHash, note }) => ({
      at: renderTime(at),
      state,
      tx_hash: txHash,
      note,
    })),
  };
}

let lastMs = Number.NaN;
let lastText = '';

/** All payments of a batch have the same time, three times each: printing it is a third of rendering one. */
function renderTime(time: Date): string {
  const ms = time.getTime();
  if (ms !== lastMs) {
    lastText = time.toISOString();
    lastMs = ms;
  }
  return lastText;
}

function renderParty(party: Party): Record<string, string | null> {
  if ('address' in party) return { address: party.address };
  if ('walletId' in party) return { wallet_id: party.walletId };
  if (party.redirectedFrom === undefined) return { username: party.username };
  return { username: party.username, redirected_from: party.redirectedFrom };
}
