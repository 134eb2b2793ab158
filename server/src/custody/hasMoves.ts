import type { Queryable } from '../db/database.ts';
import { assetIdsOf, type Network } from './network.ts';

/**
 * False if this blockchain has no open move and no relay transaction that waits for its end: then no rail has anything to
 * do. One statement instead of a dozen, several times per second.
 */
export async function hasMoves(db: Queryable, network: Network): Promise<boolean> {
  const [row] = await db.query<{ has_moves: boolean }>(
    `SELECT EXISTS (SELECT FROM coin_moves WHERE asset_id = ANY ($2) AND state = 'open')
         OR EXISTS (SELECT FROM relayers JOIN carriers USING (relayer_id)
                     WHERE network_id = $1 AND carriers.state = 'pending') AS has_moves`,
    [network.networkId, assetIdsOf(network)],
  );
  return row!.has_moves;
}
