import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { IS_NEVER_MADE } from './heldTransfers.ts';
import { isDue, noteAsked, recordNeverMade, recordProviderState } from './transfers.ts';

const LIMIT = 200;
/** A pass ends after this long. The next one continues with the transfers that were checked longest ago. */
const PASS_MS = 3_000;
const MOST_ACCELERATIONS = 5;

interface Followed {
  readonly move_id: string;
  /** Its cancellation was requested. */
  readonly is_unwanted: boolean;
  readonly is_never_made: boolean;
}

/**
 * Asks the provider about transfers that it accepted, until a final log has ended their moves. A transfer that the
 * provider no longer knows is held (the signer records that), and ends when two people decide that it was never made.
 */
export async function followTransfers(app: CustodyApp, network: Network): Promise<void> {
  const open = await app.db.query<Followed>(
    `SELECT p.move_id, m.cancel_wanted_at IS NOT NULL AS is_unwanted,
            ${IS_NEVER_MADE} AS is_never_made
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'provider' AND m.state = 'open' AND p.provider_id IS NOT NULL
        AND p.provider_state NOT IN ('failed', 'cancelled') AND ${isDue('$2')}
      ORDER BY p.asked_at NULLS FIRST LIMIT $3`,
    [assetIdsOf(network), network.settings.askProviderMs, LIMIT],
  );
  const untilMs = performance.now() + PASS_MS;
  for (const { move_id: moveId, ...move } of open) {
    if (performance.now() > untilMs) return;
    await noteAsked(app, moveId);
    const answer = await app.signer.transfers.find(moveId);
    if (answer.outcome === 'rejected' && move.is_never_made)
      await recordNeverMade(app, network, moveId, move.is_unwanted);
    if (answer.outcome !== 'accepted') continue;
    await recordProviderState(app, network, moveId, answer);
    // The provider's next report shows whether it helped.
    if (answer.isStuck && (await countAcceleration(app, network, moveId)))
      await app.signer.transfers.accelerate(moveId);
  }
}

/**
 * Counted before the call; the signer makes the key of the request from the count. False: it was requested often enough,
 * or recently, or the move is to be cancelled. If the provider does not stop a cancelled move, acceleration is allowed:
 * then only a block ends it.
 */
async function countAcceleration(app: CustodyApp, network: Network, moveId: string): Promise<boolean> {
  const counted = await app.db.query(
    `UPDATE provider_transfers p SET accelerations = accelerations + 1, accelerated_at = clock_timestamp()
       FROM coin_moves m
      WHERE p.move_id = $1 AND m.move_id = $1 AND (m.cancel_wanted_at IS NULL OR p.cancel_answer = 'rejected')
        AND accelerations < $2
        AND coalesce(accelerated_at <= clock_timestamp() - $3 * interval '1 millisecond', true)
      RETURNING p.move_id`,
    [moveId, MOST_ACCELERATIONS, network.settings.stuckAfterMs],
  );
  return counted.length > 0;
}
