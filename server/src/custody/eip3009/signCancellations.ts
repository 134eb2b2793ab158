import type { Hex } from '../../core/ports.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';

const LIMIT = 200;

/**
 * Signs what is to be cancelled, and commits each signature before anyone sees it. A cancellation moves no coins: it is
 * signed and carried also while sends are paused, when it may matter most.
 */
export async function signCancellations(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<{
    move_id: string;
    asset_id: number;
    nonce: Buffer;
    from_address: Hex;
    reference: string;
  }>(
    `SELECT m.move_id, m.asset_id, a.nonce, m.from_address, w.reference
       FROM coin_moves m JOIN authorizations a USING (move_id) JOIN wallets w USING (wallet_id)
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.cancel_wanted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM cancellations c WHERE c.move_id = m.move_id)
      ORDER BY m.cancel_wanted_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  for (const { move_id: moveId, asset_id: assetId, nonce, from_address: from, reference } of wanted) {
    const { domain } = getAsset(network, assetId);
    const answer = await app.signer.signCancellation(reference, domain, from, toHex(nonce));
    if (answer.outcome !== 'accepted') continue;
    await app.db
      .query('INSERT INTO cancellations (move_id, signature) VALUES ($1, $2) ON CONFLICT (move_id) DO NOTHING', [
        moveId,
        toBytes(answer.signature),
      ])
      .catch((error: unknown) => {
        // It was paid, or proved dead, while we signed.
        if (findViolatedConstraint(error) !== 'cancellations_only_while_wanted') throw error;
      });
  }
}
