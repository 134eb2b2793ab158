/**
 * `payments` is the life of a payment. Only this module writes `payments`, `payment_events`, `approvals`, `recipients`,
 * `payees`, `payee_reads`, `refunds`, `refund_totals`, `money_requests`, `money_request_events` and the tables of
 * `payouts/`; money moves only through `ledger`, coins only through `custody`. Called by `http` and `bin`.
 *
 * Start reading here: the states of a payment, which may follow which, and the one function that changes them. A
 * payment between people and a deposit are COMPLETE from the start and never change. A payment to an address goes
 * through the table below from top to bottom. Then read `users/sendToUser`, `sends/sendToAddress`,
 * `sends/submitPayments`, `sends/startPayments`, `sends/carryPayments`, `tracking/trackPayments`, `sends/finishPayment`
 * and `read/readPayments`.
 */
import type { PaymentState } from '../core/payment.ts';
import type { Tx } from '../db/database.ts';

interface StateRule {
  /** The meaning, for the people who wait for the payment. `read/describeWaits` explains the first two further. */
  readonly means: string;
  /** The states that may follow. A state without a successor is final. */
  readonly next: readonly PaymentState[];
}

/**
 * A payment may skip states: the chain may be faster than we read it, and a restored database may have lost some. It
 * never goes back. `sql/functions/payments/payment_may_become.sql` is the same table, and a test compares the two.
 */
export const paymentStates: Readonly<Record<PaymentState, StateRule>> = {
  INITIATED: {
    means: 'accepted, the amount is held',
    next: ['CLEARED', 'QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'],
  },
  CLEARED: {
    means: 'approved by two operators',
    next: ['QUEUED', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'],
  },
  QUEUED: {
    means: 'the coins are reserved; waiting to be sent',
    next: ['SENT', 'CONFIRMED', 'COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'],
  },
  SENT: {
    means: 'broadcast; waiting for a block',
    next: ['STUCK', 'CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED'],
  },
  STUCK: {
    means: 'no block has taken it for long; the fee is raised up to a limit',
    next: ['CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED'],
  },
  CONFIRMED: {
    means: 'in a block; waiting until it is final',
    next: ['COMPLETE', 'FAILED', 'CANCELLED'],
  },
  COMPLETE: { means: 'final', next: [] },
  FAILED: { means: 'it can never be paid any more; the amount is back', next: [] },
  DENIED: { means: 'refused before anything was signed; the amount is back', next: [] },
  CANCELLED: { means: 'cancelled; the amount is back', next: [] },
};

export const isFinal = (state: PaymentState): boolean => paymentStates[state].next.length === 0;

/** The new state of a payment, and facts that came with it. */
export interface PaymentNews {
  readonly paymentId: string;
  readonly state: PaymentState;
  /** The chain transaction that shows it. Undefined keeps the previous one. */
  readonly txHash?: string | undefined;
  readonly networkFee?: bigint | undefined;
  /** Why it ended unpaid. */
  readonly errorReason?: string | undefined;
}

/**
 * The only function that changes a payment's state. It ignores updates that are older than the current state, except
 * that an update of the same state may bring a newer hash. PostgreSQL refuses a transition that is not in the table
 * above. The event is written in the same commit.
 */
export async function advancePayments(tx: Tx, news: readonly PaymentNews[]): Promise<void> {
  if (news.length === 0) return;
  await tx.query('SELECT payments_advance($1, $2, $3, $4, $5)', [
    news.map((one) => one.paymentId),
    news.map((one) => one.state),
    news.map((one) => one.txHash ?? null),
    news.map((one) => one.networkFee ?? null),
    news.map((one) => one.errorReason ?? null),
  ]);
  await logStates(tx);
}

/** For the log: every state that payments have reached in this database transaction so far. */
export async function logStates(tx: Tx): Promise<void> {
  // The feed positions that `payments_next_place` gives to this database transaction.
  const rows = await tx.query<{ payment_id: string; state: PaymentState; tx_hash: string | null }>(
    `SELECT payment_id, state, tx_hash FROM payment_events, (SELECT ledger_tx_seq() + 16384 AS base) b
      WHERE seq >= b.base AND seq < b.base + 16384 ORDER BY seq`,
  );
  for (const { payment_id, state, tx_hash } of rows)
    tx.afterCommit(`${payment_id} ${state}`, { payment_id, state, ...(tx_hash !== null && { tx_hash }) });
}
