import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

const LIMIT = 100;

/**
 * Asks the signer for what is to be cancelled. A cancellation moves no coins: it is signed and carried also while sends are
 * paused, when it may matter most. What is refused or not answered is asked for again at the next turn.
 */
export async function signCancellations(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<{ move_id: string }>(
    `SELECT m.move_id FROM coin_moves m JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)
      ORDER BY m.cancel_wanted_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  if (wanted.length > 0) await app.signer.signCancellations(wanted.map((row) => row.move_id));
}
