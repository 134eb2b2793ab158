import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Tx } from '../../db/database.ts';
import { moveMany } from '../../ledger/moveMany.ts';
import { advancePayments } from '../state.ts';

export interface PaidPayment {
  readonly paymentId: string;
  readonly txHash: string;
  /** Of its share in what the chain took, in millionths of the chain's coin; undefined when nobody knows. */
  readonly networkFee: bigint | undefined;
}

export interface Hold {
  readonly paymentId: string;
  readonly debitAccount: bigint;
  readonly creditAccount: bigint;
  readonly amount: bigint;
}

/** Locks the payments in the order of their ids and reads their holds; the first locks of whoever ends payments. */
export async function lockPayments(tx: Tx, paymentIds: readonly string[]): Promise<Map<string, Hold>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await tx.query<Hold>(
    `SELECT p.payment_id AS "paymentId", t.debit_account AS "debitAccount", t.credit_account AS "creditAccount", t.amount
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id
      WHERE p.payment_id = ANY ($1) ORDER BY p.payment_id FOR NO KEY UPDATE OF p`,
    [[...new Set(paymentIds)]],
  );
  return new Map(rows.map((hold) => [hold.paymentId, hold]));
}

/** One end per hold, whoever ends it and how often: its id is made from the payment's. */
const endId = (how: 'post' | 'release', paymentId: string): string =>
  shapeUuid(createHash('sha256').update(`${how}:${paymentId}`).digest());

/**
 * Paid, by final logs: the hold is posted and the payment COMPLETE, in one commit with the coins. Doing it again
 * changes nothing. Answers the payments whose hold had been given back before: that must never happen, and whoever
 * calls stops sends when it does.
 */
export async function completePayments(
  tx: Tx,
  holds: ReadonlyMap<string, Hold>,
  paid: readonly PaidPayment[],
): Promise<string[]> {
  if (paid.length === 0) return [];
  const outcomes = await moveMany(
    tx,
    'post',
    paid.map(({ paymentId }) => toEnd('post', holds.get(paymentId)!)),
  );
  await advancePayments(
    tx,
    paid.map((one) => ({ ...one, state: 'COMPLETE' })),
  );
  return paid.filter((_, i) => outcomes[i] === 'ended').map((one) => one.paymentId);
}

/**
 * Proved that it can never happen, or never started: the hold is given back. Its move, if it has one, is ended
 * before: PostgreSQL refuses anything else. `txHash` is the proof's, when it stands on chain.
 */
export async function releasePayment(
  tx: Tx,
  hold: Hold,
  state: 'FAILED' | 'DENIED' | 'CANCELLED',
  reason: string,
  txHash?: string,
): Promise<void> {
  const [outcome] = await moveMany(tx, 'release', [toEnd('release', hold)]);
  if (outcome === 'ended') throw new Error(`payment ${hold.paymentId} was paid and cannot be released`);
  await advancePayments(tx, [{ paymentId: hold.paymentId, state, errorReason: reason, txHash }]);
}

const toEnd = (how: 'post' | 'release', hold: Hold) => ({
  transferId: endId(how, hold.paymentId),
  holdId: hold.paymentId,
  debitAccount: hold.debitAccount,
  creditAccount: hold.creditAccount,
  amount: hold.amount as Usdc,
});
