import type { Tx } from '../../db/database.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';
import { toSeen } from './toSeen.ts';

const LIMIT = 50;

interface Done extends KnownMove {
  readonly from: string;
  readonly to: string;
  readonly txHash: string;
  readonly providerId: string;
  /** Of ours, that the coins went to. */
  readonly receiver: string | null;
}

/**
 * Moves of which the provider says that they are complete. Where nobody of ours reads the chain that is all there is: they
 * are as good as seen in a final block.
 */
export async function listDone(tx: Tx, { networkId }: Network, asset: NetworkAsset): Promise<SeenTransfer[]> {
  const done = await tx.query<Done>(
    `SELECT ${MOVE_COLUMNS}, m.from_address AS from, m.to_address AS to, p.tx_hash AS "txHash",
            p.provider_id AS "providerId",
            coalesce(m.to_wallet, (SELECT w.wallet_id FROM wallets w JOIN networks n USING (family)
                                    WHERE n.network_id = $2 AND w.address = m.to_address)) AS receiver
       FROM coin_moves m JOIN provider_transfers p USING (move_id)
      WHERE m.asset_id = $1 AND m.rail = 'provider' AND m.state = 'open' AND p.provider_state = 'done'
        AND p.provider_id IS NOT NULL AND p.tx_hash IS NOT NULL
      ORDER BY m.created_at, m.move_id LIMIT $3`,
    [asset.assetId, networkId, LIMIT],
  );
  return done.map(({ from, to, txHash, providerId, receiver, ...move }) => ({
    ...toSeen(asset, { providerId, txHash, from, to, amount: move.amount }),
    fromWallet: move.walletId,
    toWallet: receiver ?? undefined,
    move,
  }));
}
