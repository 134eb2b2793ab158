import type { Tx } from '../../db/database.ts';
import type { DeadMove } from '../rail.ts';
import { lockHoldings } from './holdings.ts';
import { completeSettlements, type KnownMove } from './moves.ts';

/**
 * Ends a send that was never started. True also when it has no move. False when it was started: what was signed or handed
 * to a provider may happen, and only the chain or the provider can end it.
 *
 * The payment and its accounts are locked by the caller.
 */
export async function endUnstarted(tx: Tx, moveId: string): Promise<boolean> {
  const [row] = await tx.query<{ ended: boolean }>('SELECT end_unstarted($1) AS ended', [moveId]);
  return row!.ended;
}

/**
 * Wants a move cancelled that was started: its rail tries to stop it. The coins stay reserved until it is certain which
 * of the two happened. False when that was wanted before.
 */
export async function askCancellation(tx: Tx, moveId: string): Promise<boolean> {
  const [row] = await tx.query<{ asked: boolean }>('SELECT ask_cancellation($1) AS asked', [moveId]);
  return row!.asked;
}

/** The chain has cancelled them for good. */
export async function endCanceled(tx: Tx, canceled: readonly { readonly move: KnownMove }[]): Promise<void> {
  if (canceled.length === 0) return;
  await tx.query(`UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = ANY ($1) AND state = 'open'`, [
    canceled.map(({ move }) => move.moveId),
  ]);
}

/** Undefined when the proof no longer holds. Otherwise whether it failed, or was wanted `cancelled`. */
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
  return open.wanted || dead.isCancelled ? 'cancelled' : 'failed';
}
