import { completeSettlements } from '../../custody/coins/moves.ts';
import { assetIdsOf, type Network } from '../../custody/network.ts';
import type { CustodyApp } from '../../custody/rail.ts';
import { lockCursor } from '../../custody/watch/cursor.ts';
import { tellStates } from '../state.ts';

/**
 * Open moves that the chain made before this database was restored, and whose coins were counted when nobody knew what they
 * were: `claim_unexplained` says what becomes of each. Without this the client's repeated payment would wait for ever for
 * a transfer that has been applied.
 */
export async function claimMoves(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const claims = await app.db.query<{ move_id: string }>(
    `SELECT m.move_id FROM coin_moves m JOIN unexplained_moves u USING (asset_id, wallet_id, amount)
       LEFT JOIN provider_transfers p ON p.move_id = m.move_id AND p.tx_hash = u.tx_hash
       LEFT JOIN authorizations a ON a.move_id = m.move_id
       LEFT JOIN forgotten_nonces f ON f.nonce = a.nonce AND f.asset_id = u.asset_id AND f.tx_hash = u.tx_hash
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND coalesce(p.tx_hash, f.tx_hash) IS NOT NULL
      ORDER BY m.created_at, m.move_id`,
    [assetIdsOf(network)],
  );
  for (const { move_id: moveId } of claims) {
    await app.db.tx(async (tx) => {
      await lockCursor(tx, network.networkId);
      await tx.query('SELECT claim_unexplained($1)', [moveId]);
      const [move] = await tx.query<{ settlement_id: string | null }>(
        `SELECT settlement_id FROM coin_moves WHERE move_id = $1 AND state = 'done'`,
        [moveId],
      );
      await completeSettlements(tx, [move?.settlement_id ?? null]);
      await tellStates(tx);
    });
  }
}
