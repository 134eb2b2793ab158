import type { Queryable } from '../../db/database.ts';

/**
 * For operators: the payments that a chain transaction belongs to; `txHash` in the form that `readHash` returns. A
 * relay transaction contains up to fifty sends, in any of its attempts; a provider's transaction contains one; a
 * deposit and an import store the hash themselves.
 */
export async function findByHash(db: Queryable, txHash: string): Promise<string[]> {
  const rows = await db.query<{ payment_id: string }>(
    `SELECT DISTINCT payment_id FROM (
       SELECT c.move_id AS payment_id FROM carrier_attempts t JOIN carrier_calls c USING (carrier_id)
         JOIN coin_moves m USING (move_id) WHERE t.hash = $1 AND m.purpose = 'send'
       UNION ALL
       SELECT p.move_id FROM provider_transfers p JOIN coin_moves m USING (move_id)
        WHERE p.tx_hash = $1 AND m.purpose = 'send'
       UNION ALL
       SELECT d.transfer_id FROM assets a JOIN deposits d ON d.asset_id = a.asset_id AND d.tx_hash = $1
       UNION ALL
       SELECT u.imported_as FROM assets a JOIN unexplained_moves u ON u.asset_id = a.asset_id AND u.tx_hash = $1
        WHERE u.imported_as IS NOT NULL) found
     ORDER BY payment_id`,
    [txHash],
  );
  return rows.map(({ payment_id: paymentId }) => paymentId);
}
