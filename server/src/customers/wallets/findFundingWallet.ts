import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';

interface FundingWallet {
  readonly walletId: string;
  readonly address: string;
  /** Whose it is; null: the treasury's. */
  readonly userId: string | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const USERNAME = /^[A-Za-z0-9_]{3,30}$/;

interface Asked {
  readonly assetId: number;
  readonly walletId?: string | undefined;
  readonly username?: string | undefined;
}

/**
 * The wallet that pays in this asset: of whoever owns the wallet that was named, else of the username, else the
 * treasury's. An old name leads to its owner, and so does an old wallet.
 */
export async function getFundingWallet(db: Queryable, asked: Asked): Promise<FundingWallet> {
  const { assetId, walletId, username } = asked;
  if (walletId !== undefined) {
    const found = UUID.test(walletId) ? await findNamed(db, assetId, walletId) : undefined;
    if (!found) throw new PayError('wallet.unknown');
    return found;
  }
  if (username !== undefined) {
    const owner =
      'w.user_id = (SELECT user_id FROM usernames WHERE username = $2 AND (redirect_until IS NULL OR redirect_until > now()))';
    const found = USERNAME.test(username) ? await find(db, owner, [assetId, username.toLowerCase()]) : undefined;
    if (!found) throw new PayError('username.unknown');
    return found;
  }
  const treasury = await find(db, `w.kind = 'treasury'`, [assetId]);
  if (!treasury) throw new PayError('wallet.unspecified');
  return treasury;
}

async function findNamed(db: Queryable, assetId: number, walletId: string): Promise<FundingWallet | undefined> {
  const current = await find(db, 'w.wallet_id = $2', [assetId, walletId]);
  if (current) return current;
  const [named] = await db.query<{ user_id: string | null }>('SELECT user_id FROM wallets WHERE wallet_id = $1', [
    walletId,
  ]);
  if (!named) return undefined;
  return named.user_id === null
    ? find(db, `w.kind = 'treasury'`, [assetId])
    : find(db, 'w.user_id = $2', [assetId, named.user_id]);
}

async function find(db: Queryable, condition: string, values: readonly unknown[]): Promise<FundingWallet | undefined> {
  const [row] = await db.query<FundingWallet>(
    `SELECT w.wallet_id AS "walletId", w.address, w.user_id AS "userId" FROM owner_wallets w
      WHERE w.asset_id = $1 AND ${condition}`,
    values,
  );
  return row;
}
