import { isEvmAddress, readAddressOf } from '../core/families.ts';
import type { Queryable } from '../db/database.ts';

interface OwnAddress {
  readonly walletId: string;
  /** Null: the service owns the wallet. */
  readonly userId: string | null;
}

const SELECT = 'SELECT wallet_id AS "walletId", user_id AS "userId" FROM wallets';

/** Finds our wallet with this address, on any blockchain. Addresses are case-sensitive only on Solana. */
export async function findAddress(db: Queryable, text: string): Promise<OwnAddress | undefined> {
  if (isEvmAddress(text)) {
    const [wallet] = await db.query<OwnAddress>(`${SELECT} WHERE family = 'evm' AND lower(address) = lower($1)`, [
      text,
    ]);
    if (wallet) return wallet;
  }
  for (const family of ['solana', 'aptos'] as const) {
    const address = readAddressOf(family, text);
    if (address === undefined) continue;
    // Repeats the condition of the partial index.
    const [wallet] = await db.query<OwnAddress>(`${SELECT} WHERE family <> 'evm' AND family = $1 AND address = $2`, [
      family,
      address,
    ]);
    if (wallet) return wallet;
  }
  return undefined;
}
