import type { Tx } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import { rewriteCarriers } from './replaceCarried.ts';

/**
 * Carriers in blocks after `after` are not mined any more. Their nonces are free again, and have to be used before any later
 * one: by the same bytes, unless they would cancel what was paid.
 */
export async function reopenCarriers(
  tx: Tx,
  network: Network,
  after: bigint,
  moveIds: readonly string[],
): Promise<void> {
  await tx.query(
    `UPDATE carriers c SET state = 'pending', block_number = NULL, mined_block = NULL, mined_hash = NULL, mined_at = NULL
       FROM relayers r
      WHERE r.relayer_id = c.relayer_id AND r.network_id = $1 AND c.state = 'final' AND c.block_number > $2`,
    [network.networkId, after],
  );
  await tx.query('UPDATE authorizations SET failures = 0, carry_after = now() WHERE move_id = ANY ($1)', [moveIds]);
  await tx.query('DELETE FROM forgotten_nonces WHERE asset_id = ANY ($1) AND block_number > $2', [
    assetIdsOf(network),
    after,
  ]);
  await rewriteCarriers(tx, network);
}
