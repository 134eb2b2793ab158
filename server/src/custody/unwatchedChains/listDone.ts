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
  /** Our wallet that received the coins, unless they were already credited there as an arrival. */
  readonly receiver: string | null;
}

/**
 * Lists moves that the provider reports as complete. On an unwatched chain there is no other evidence, so they count as
 * seen in a final block.
 */
export async function listDone(tx: Tx, { networkId }: Network, asset: NetworkAsset): Promise<SeenTransfer[]> {
  const done = await tx.query<Done>(
    `SELECT ${MOVE_COLUMNS}, m.from_address AS from, m.to_address AS to, p.tx_hash AS "txHash",
            p.provider_id AS "providerId", w.wallet_id AS receiver
       FROM coin_moves m JOIN provider_transfers p USING (move_id) JOIN networks n ON n.network_id = $2
       LEFT JOIN wallets w ON w.family = n.family AND w.family <> 'evm' AND w.address = m.to_address AND NOT EXISTS (
         SELECT FROM deposits d WHERE d.asset_id = $1 AND d.tx_hash = p.tx_hash AND d.wallet_id = w.wallet_id)
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
