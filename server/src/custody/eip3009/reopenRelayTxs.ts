import type { Tx } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import { reencode } from './relaying/remakeRelayTx.ts';
import { rewriteRelayTxs } from './replaceCarried.ts';

/**
 * Relay transactions in blocks after `after` are no longer mined. Their nonces are free again and must be used before
 * any later one: by the same bytes, unless those would cancel a payment that was paid.
 */
export async function reopenRelayTxs(
  tx: Tx,
  network: Network,
  after: bigint,
  moveIds: readonly string[],
): Promise<void> {
  const emptied = await tx.query<{ carrier_id: string }>(
    `SELECT c.carrier_id FROM relayers r JOIN carriers c USING (relayer_id)
      WHERE r.network_id = $1 AND c.state = 'final' AND c.block_number > $2 AND NOT c.has_bytes`,
    [network.networkId, after],
  );
  await tx.query(
    `UPDATE carriers c SET state = 'pending', block_number = NULL, mined_block = NULL, mined_hash = NULL, mined_at = NULL,
            version = CASE WHEN has_bytes THEN version ELSE version + 1 END, has_bytes = true
       FROM relayers r
      WHERE r.relayer_id = c.relayer_id AND r.network_id = $1 AND c.state = 'final' AND c.block_number > $2`,
    [network.networkId, after],
  );
  // The bytes differ, but the calls are the same.
  for (const { carrier_id: relayTxId } of emptied) await reencode(tx, network, relayTxId);
  await tx.query(
    `UPDATE authorizations SET failures = 0, carry_after = now(), carried = is_carried(move_id)
      WHERE move_id = ANY ($1)`,
    [moveIds],
  );
  await tx.query('DELETE FROM forgotten_nonces WHERE asset_id = ANY ($1) AND block_number > $2', [
    assetIdsOf(network),
    after,
  ]);
  await rewriteRelayTxs(tx, network);
}
