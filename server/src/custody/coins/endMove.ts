import { PayError } from '../../core/errors.ts';
import { findViolatedConstraint, type Tx } from '../../db/database.ts';
import type { DeadMove } from '../rail.ts';
import { lockHoldings } from './holdings.ts';
import { completeSettlements, type KnownMove } from './moves.ts';
import { noteRefusal } from './refusedWallets.ts';

/**
 * Ends a send that was never started. Returns true also when the send has no move. Returns false when the move was
 * started: what was signed or handed to a provider may happen, and only the chain or the provider can end it. Throws
 * `service.paused` while the move may have been started before this database was restored.
 *
 * The caller locks the payment and its accounts.
 */
export async function endUnstarted(tx: Tx, moveId: string): Promise<boolean> {
  try {
    const [row] = await tx.query<{ ended: boolean }>('SELECT end_unstarted($1) AS ended', [moveId]);
    return row!.ended;
  } catch (error) {
    if (findViolatedConstraint(error) !== 'moves_from_before_a_restore') throw error;
    throw new PayError('service.paused', { reason: RESTORED }, { cause: error });
  }
}

/** For customers. Operators read the cause, too. */
const RESTORED = 'for up to two hours, it is not certain whether this payment was sent before';

/**
 * Cancels a move that may have been started before this database was restored: on the chain if it may have been signed,
 * at the provider if it may have been handed over. Returns false if neither applies. The caller locks the payment.
 */
export async function cancelAfterRestore(tx: Tx, paymentId: string): Promise<boolean> {
  if (await cancelAtProvider(tx, paymentId)) return true;
  const [row] = await tx.query<{ cancelled: boolean }>('SELECT cancel_after_restore($1) AS cancelled', [paymentId]);
  return row!.cancelled;
}

/**
 * Asks the provider about the transfer, and never requests it. Returns false if the provider cannot have it. The caller
 * locks the payment.
 */
export async function cancelAtProvider(tx: Tx, paymentId: string): Promise<boolean> {
  const [row] = await tx.query<{ cancelled: boolean }>('SELECT cancel_at_provider($1) AS cancelled', [paymentId]);
  return row!.cancelled;
}

/**
 * Requests the cancellation of a started move: its rail tries to stop it. The coins stay reserved until it is certain
 * which of the two happened. Returns false if the cancellation was requested before.
 */
export async function askCancellation(tx: Tx, moveId: string): Promise<boolean> {
  const [row] = await tx.query<{ asked: boolean }>('SELECT ask_cancellation($1) AS asked', [moveId]);
  return row!.asked;
}

/** The chain has cancelled these moves finally. */
export async function endCanceled(tx: Tx, canceled: readonly { readonly move: KnownMove }[]): Promise<void> {
  if (canceled.length === 0) return;
  await tx.query(`UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = ANY ($1) AND state = 'open'`, [
    canceled.map(({ move }) => move.moveId),
  ]);
}

/**
 * Returns undefined when the proof no longer holds. Otherwise returns `failed`, or `cancelled` if its cancellation was
 * requested.
 */
export async function endDead(tx: Tx, dead: DeadMove): Promise<'failed' | 'cancelled' | undefined> {
  const [move] = await tx.query<{ asset_id: number; wallet_id: string; to_wallet: string | null }>(
    'SELECT asset_id, wallet_id, to_wallet FROM coin_moves WHERE move_id = $1',
    [dead.moveId],
  );
  await lockHoldings(tx, move!.asset_id, move!.to_wallet ? [move!.wallet_id, move!.to_wallet] : [move!.wallet_id]);
  // Starting the move again takes the same lock.
  const [open] = await tx.query<{ wanted: boolean; settlement_id: string | null }>(
    `SELECT cancel_wanted_at IS NOT NULL AS wanted, settlement_id FROM coin_moves
      WHERE move_id = $1 AND state = 'open' FOR NO KEY UPDATE`,
    [dead.moveId],
  );
  if (!open || !(await dead.holds(tx))) return undefined;
  await tx.query(`UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = $1`, [dead.moveId]);
  await completeSettlements(tx, [open.settlement_id]);
  if (dead.isRefused && move!.to_wallet) await noteRefusal(tx, move!.asset_id, move!.wallet_id, dead.reason);
  return open.wanted || dead.isCancelled ? 'cancelled' : 'failed';
}
