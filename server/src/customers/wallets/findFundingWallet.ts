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

/** The wallet that was named, else the one of the username, else the treasury's. An old name leads to its owner. */
export async function getFundingWallet(
  db: Queryable,
  asked: { readonly walletId?: string | undefined; readonly username?: string | undefined },
): Promise<FundingWallet> {
  const { walletId, username } = asked;
  if (walletId !== undefined) {
    const found = UUID.test(walletId) ? await find(db, 'w.wallet_id = $1', walletId) : undefined;
    if (!found) throw new PayError('wallet.unknown');
    return found;
  }
  if (username !== undefined) {
    const owner =
      'w.user_id = (SELECT user_id FROM usernames WHERE username = $1 AND (redirect_until IS NULL OR redirect_until > now()))';
    const found = USERNAME.test(username) ? await find(db, owner, username.toLowerCase()) : undefined;
    if (!found) throw new PayError('username.unknown');
    return found;
  }
  const treasury = await find(db, 'w.kind = $1', 'treasury');
  if (!treasury) throw new PayError('wallet.unspecified');
  return treasury;
}

async function find(db: Queryable, condition: string, value: string): Promise<FundingWallet | undefined> {
  const [row] = await db.query<FundingWallet>(
    `SELECT w.wallet_id AS "walletId", w.address, w.user_id AS "userId" FROM wallets w WHERE ${condition}`,
    [value],
  );
  return row;
}
