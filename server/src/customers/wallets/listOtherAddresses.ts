import type { Queryable } from '../../db/database.ts';

interface OtherAddress {
  readonly blockchain: string;
  readonly address: string;
}

/**
 * Lists a person's receiving addresses on these blockchains that differ from their home wallet's: on Solana and Aptos,
 * and where another provider holds the keys. Wallets that are still being created are left out.
 */
export const listOtherAddresses = (
  db: Queryable,
  userId: string,
  blockchains: readonly string[],
): Promise<OtherAddress[]> =>
  db.query<OtherAddress>(
    `SELECT DISTINCT n.blockchain, w.address
       FROM owner_wallets w JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE w.user_id = $1 AND n.blockchain = ANY ($2) AND NOT EXISTS (
        SELECT FROM owner_wallets h
         WHERE h.asset_id = (SELECT home_asset FROM ledger_state) AND h.wallet_id = w.wallet_id)
      ORDER BY n.blockchain`,
    [userId, blockchains],
  );
