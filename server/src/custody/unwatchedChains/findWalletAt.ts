import type { Tx } from '../../db/database.ts';
import type { Network } from '../network.ts';

/** Finds our wallet with this address on an unwatched chain. */
export async function findWalletAt(tx: Tx, { networkId }: Network, address: string): Promise<string | undefined> {
  const [row] = await tx.query<{ wallet_id: string }>(
    `SELECT w.wallet_id FROM wallets w JOIN networks n USING (family)
      WHERE n.network_id = $1 AND w.family <> 'evm' AND w.address = $2`,
    [networkId, address],
  );
  return row?.wallet_id;
}
