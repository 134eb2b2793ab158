import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { askCancellation } from '../coins/endMove.ts';

/**
 * `asked`: its provider is asked to stop it. `before`: that was already requested. `unstarted`: the provider has not
 * received it. `signed`: no provider sends it, and its signature expires by itself.
 */
export type SettlementCancelled = 'asked' | 'before' | 'unknown' | 'payment' | 'ended' | 'unstarted' | 'signed';

/** A transfer between our own wallets, for the operator who decides about it. */
interface Settlement {
  readonly blockchain: string;
  readonly amount: bigint;
  readonly provider: string;
  readonly from: string;
  readonly to: string;
  readonly createdAt: Date;
  /** What its provider has said about it, in the words of `provider_transfers`. */
  readonly providerState: string | null;
}

interface Row extends Settlement {
  readonly purpose: string;
  readonly rail: string;
  readonly state: string;
  readonly isStarted: boolean;
  readonly isAsked: boolean;
}

/** What a cancellation would do now, and the transfer if it would do something. */
export async function previewCancellation(
  db: Queryable,
  moveId: string,
): Promise<Settlement | Exclude<SettlementCancelled, 'asked'>> {
  const [move] = await db.query<Row>(
    `SELECT m.purpose, m.rail, m.state, m.started_at IS NOT NULL AS "isStarted",
            m.cancel_wanted_at IS NOT NULL AS "isAsked", n.blockchain, m.amount, w.provider, m.from_address AS from,
            m.to_address AS to, m.created_at AS "createdAt", p.provider_state AS "providerState"
       FROM coin_moves m JOIN wallets w USING (wallet_id) JOIN assets USING (asset_id) JOIN networks n USING (network_id)
       LEFT JOIN provider_transfers p USING (move_id)
      WHERE m.move_id = $1`,
    [moveId],
  );
  if (!move) return 'unknown';
  if (move.purpose === 'send') return 'payment';
  if (move.state !== 'open') return 'ended';
  if (move.rail !== 'provider') return 'signed';
  if (!move.isStarted) return 'unstarted';
  return move.isAsked ? 'before' : move;
}

/** Cancels a transfer between our own wallets, which has no payment that could be cancelled. */
export async function cancelSettlement(tx: Tx, moveId: string, actor: AuditActor): Promise<SettlementCancelled> {
  const found = await previewCancellation(tx, moveId);
  if (typeof found === 'string') return found;
  if (!(await askCancellation(tx, moveId))) return 'before';
  await recordAudit(tx, { actor, action: 'transfer.cancel_asked', details: { move_id: moveId } });
  return 'asked';
}
