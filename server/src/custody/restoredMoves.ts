/** What the chain has paid and this database does not know, because it was restored from before. */
import type { Tx } from '../db/database.ts';
import { findPaidByNonce, restoreByNonce } from './eip3009/forgottenNonces.ts';
import { markImported, type UnexplainedMove } from './watch/unexplainedMoves.ts';

/**
 * The unexplained move that is this payment. Only EIP-3009 writes something on the chain from which the payment can be
 * told; a provider's transfer is imported by a person, or found again under the same idempotency key.
 */
export const findPaid = (tx: Tx, paymentId: string): Promise<UnexplainedMove | undefined> =>
  findPaidByNonce(tx, paymentId);

/** `paymentId` accounts for it from now on. */
export async function accountFor(tx: Tx, one: UnexplainedMove, paymentId: string): Promise<void> {
  await restoreByNonce(tx, one, paymentId);
  await markImported(tx, one, paymentId);
}
