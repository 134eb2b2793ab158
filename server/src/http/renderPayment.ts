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
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
    timeline: payment.timeline.map(({ at, state, txHash, note }) => ({
      at: at.toISOString(),
      state,
      tx_hash: txHash,
      note,
    })),
  };
}

function renderParty(party: Party): Record<string, string | null> {
  if ('address' in party) return { address: party.address };
  if ('walletId' in party) return { wallet_id: party.walletId };
  if (party.redirectedFrom === undefined) return { username: party.username };
  return { username: party.username, redirected_from: party.redirectedFrom };
}
