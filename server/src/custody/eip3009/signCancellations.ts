import type { Hex } from '../../core/ports.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, type CustodyApp, getAsset, type Network } from '../network.ts';
import { toBytes, toHex } from './authorizations.ts';

const LIMIT = 200;

/**
 * Signs what is to be cancelled, and commits each signature before anyone sees it. A cancellation moves no coins: it is
 * signed and carried also while sends are paused, when it may matter most.
 */
export async function signCancellations(app: CustodyApp, network: Network): Promise<void> {
  const wanted = await app.db.query<{
    authorization_id: string;
    asset_id: number;
    nonce: Buffer;
    from_address: Hex;
    reference: string;
  }>(
    `SELECT a.authorization_id, a.asset_id, a.nonce, a.from_address, w.reference
       FROM authorizations a JOIN wallets w USING (wallet_id)
      WHERE a.asset_id = ANY ($1) AND a.state = 'open' AND a.cancel_wanted_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM cancellations c WHERE c.authorization_id = a.authorization_id)
      ORDER BY a.cancel_wanted_at LIMIT $2`,
    [assetIdsOf(network), LIMIT],
  );
  for (const { authorization_id: id, asset_id: assetId, nonce, from_address: from, reference } of wanted) {
    const { domain } = getAsset(network, assetId);
    const signature = await app.wallets.signCancellation(reference, domain, from, toHex(nonce));
    await app.db
      .query(
        `INSERT INTO cancellations (authorization_id, signature) VALUES ($1, $2)
         ON CONFLICT (authorization_id) DO NOTHING`,
        [id, toBytes(signature)],
      )
      .catch((error: unknown) => {
        // It was paid, or proved dead, while we signed.
        if (findViolatedConstraint(error) !== 'cancellations_only_while_wanted') throw error;
      });
  }
}
