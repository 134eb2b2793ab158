import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

const LIMIT = 100;

/**
 * Asks the signer to sign requested cancellations. A cancellation moves no coins, so it is signed and relayed even
 * while sends are paused, when it may matter most. Without an answer the next pass asks again; after a refusal it asks
 * again with growing pauses.
 */
export async function signCancellations(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<{ move_id: string }>(
    `SELECT m.move_id FROM coin_moves m JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)
        AND (a.cancel_after IS NULL OR a.cancel_after <= clock_timestamp())
      ORDER BY m.cancel_wanted_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  if (wanted.length === 0) return;
  const answer = await app.signer.signCancellations(wanted.map((row) => row.move_id));
  const refused = answer.outcome === 'accepted' ? answer.refused.filter(({ isNext }) => !isNext) : [];
  if (refused.length > 0) {
    await app.db.query(
      `UPDATE authorizations SET cancel_refusals = cancel_refusals + 1,
              cancel_after = clock_timestamp() + least(2 ^ least(cancel_refusals, 10), 300) * interval '1 second'
        WHERE move_id = ANY ($1)`,
      [refused.map(({ id }) => id)],
    );
  }
}
