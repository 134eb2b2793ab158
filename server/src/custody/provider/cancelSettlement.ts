import type { Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { askCancellation } from '../coins/endMove.ts';

/**
 * `asked`: its provider is asked to stop it. `before`: that was already requested. `unstarted`: the provider has not
 * received it. `signed`: no provider sends it, and its signature expires by itself.
 */
export type SettlementCancelled = 'asked' | 'before' | 'unknown' | 'payment' | 'ended' | 'unstarted' | 'signed';

/** Cancels a transfer between our own wallets, which has no payment that could be cancelled. */
export async function cancelSettlement(tx: Tx, moveId: string, actor: AuditActor): Promise<SettlementCancelled> {
  const [move] = await tx.query<{ purpose: string; rail: string; state: string; is_started: boolean }>(
    'SELECT purpose, rail, state, started_at IS NOT NULL AS is_started FROM coin_moves WHERE move_id = $1',
    [moveId],
  );
  if (!move) return 'unknown';
  if (move.purpose === 'send') return 'payment';
  if (move.state !== 'open') return 'ended';
  if (move.rail !== 'provider') return 'signed';
  if (!move.is_started) return 'unstarted';
  if (!(await askCancellation(tx, moveId))) return 'before';
  await recordAudit(tx, { actor, action: 'transfer.cancel_asked', details: { move_id: moveId } });
  return 'asked';
}
