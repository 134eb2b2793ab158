import type { Queryable } from '../../db/database.ts';

type WalletName =
  | { readonly walletId: string | undefined }
  | { readonly address: string }
  /** All that this person has now. */
  | { readonly userId: string };

/** For operators: the ids of the wallets that are named. */
export async function listWalletsOf(db: Queryable, name: WalletName): Promise<string[]> {
  const rows = await db.query<{ wallet_id: string }>(...statementOf(name));
  return rows.map((row) => row.wallet_id);
}

function statementOf(name: WalletName): [sql: string, values: unknown[]] {
  if ('userId' in name) return ['SELECT DISTINCT wallet_id FROM owner_wallets WHERE user_id = $1', [name.userId]];
  if ('address' in name) {
    return [`SELECT wallet_id FROM wallets WHERE lower(address) = lower($1) AND family = 'evm'`, [name.address]];
  }
  return ['SELECT wallet_id FROM wallets WHERE wallet_id = $1', [name.walletId ?? null]];
}
