import type { Queryable } from '../../../db/database.ts';

interface Depth {
  /** Only relay transactions older than this. */
  readonly olderThanDays: number;
  /** At most this many per call. */
  readonly limit: number;
}

/**
 * Deletes the bytes of relay transactions that are final below the oldest block that we still store: no reorg that we
 * can follow reaches them, so they are never broadcast again. Hashes, fees, answers and calls stay. Returns how many it
 * emptied; call it again while that equals the limit.
 */
export async function forgetRelayTxBytes(
  db: Queryable,
  networkId: number,
  { olderThanDays, limit }: Depth,
): Promise<number> {
  const emptied = await db.query(
    `WITH deep AS (
       SELECT c.carrier_id FROM relayers r JOIN carriers c USING (relayer_id)
        WHERE r.network_id = $1 AND c.state <> 'pending' AND c.has_bytes
          AND c.block_number < (SELECT min(block_number) FROM chain_blocks WHERE network_id = $1)
          AND c.created_at < clock_timestamp() - $2 * interval '1 day'
        ORDER BY c.relayer_id, c.block_number LIMIT $3 FOR NO KEY UPDATE OF c SKIP LOCKED
     ), attempts AS (
       UPDATE carrier_attempts t SET raw = '' FROM deep WHERE t.carrier_id = deep.carrier_id
     ) UPDATE carriers c SET data = '', has_bytes = false FROM deep WHERE c.carrier_id = deep.carrier_id RETURNING 1`,
    [networkId, olderThanDays, limit],
  );
  return emptied.length;
}
