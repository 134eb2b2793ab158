import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import { advancePayments, logStates } from '../state.ts';

export interface PaidPayment {
  readonly paymentId: string;
  readonly txHash: string;
  /** Its share of the network fee, in millionths of the chain's coin; undefined if it is not known. */
  readonly networkFee: bigint | undefined;
}

export interface Hold {
  readonly paymentId: string;
  readonly debitAccount: bigint;
  readonly creditAccount: bigint;
  readonly amount: bigint;
}

/**
 * Locks the payments in the order of their ids and reads their holds. When payments are ended, this lock comes first.
 */
export async function lockPayments(tx: Tx, paymentIds: readonly string[]): Promise<Map<string, Hold>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await tx.query<Hold>(
    `SELECT payment_id AS "paymentId", debit_account AS "debitAccount", credit_account AS "creditAccount", amount
       FROM payments_lock($1)`,
    [[...new Set(paymentIds)]],
  );
  return new Map(rows.map((hold) => [hold.paymentId, hold]));
}

/** A hold ends once: the id of its end is derived from the payment's id. */
export const endId = (how: 'post' | 'release', paymentId: string): string =>
  shapeUuid(createHash('sha256').update(`${how}:${paymentId}`).digest());

/**
 * Completes payments that final logs show as paid: posts the hold and sets the payment to COMPLETE, in one commit with
 * the coins. Repeating it changes nothing. Returns the payments whose hold had been released before: that must never
 * happen, and the caller stops sends if it does.
 */
export async function completePayments(tx: Tx, paid: readonly PaidPayment[]): Promise<string[]> {
  if (paid.length === 0) return [];
  const [row] = await tx.query<{ outcomes: ('applied' | 'duplicate' | 'ended')[] }>(
    'SELECT post_holds($1) AS outcomes',
    [paid.map(({ paymentId }) => paymentId)],
  );
  await advancePayments(
    tx,
    paid.map((one) => ({ ...one, state: 'COMPLETE' })),
  );
  return paid.filter((_, i) => row!.outcomes[i] === 'ended').map((one) => one.paymentId);
}

/**
 * Releases the hold of a payment that was proved to be impossible or was never started. Its move, if it has one, has
 * ended before: PostgreSQL refuses anything else. `txHash` is the chain transaction that proves it, if there is one.
 */
export async function releasePayment(
  tx: Tx,
  hold: Hold,
  state: 'FAILED' | 'DENIED' | 'CANCELLED',
  reason: string,
  txHash?: string,
): Promise<void> {
  const { paymentId } = hold;
  const [row] = await tx.query<{ outcome: string }>('SELECT payment_release($1, $2, $3, $4, $5) AS outcome', [
    paymentId,
    endId('release', paymentId),
    state,
    reason,
    txHash ?? null,
  ]);
  const { outcome } = row!;
  if (outcome === 'ended') throw new Error(`payment ${paymentId} was paid and cannot be released`);
  if (outcome !== 'applied' && outcome !== 'duplicate') throw new Error(`release of ${paymentId}: ${outcome}`);
  await logStates(tx);
}
