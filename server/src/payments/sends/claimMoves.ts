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
    `SELECT m.move_id FROM coin_moves m
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND m.started_at IS NOT NULL
        AND EXISTS (SELECT FROM unexplained_moves u
                     WHERE u.asset_id = m.asset_id AND u.wallet_id = m.wallet_id AND u.amount = m.amount)
        AND (find_claimed(m)).tx_hash IS NOT NULL
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
