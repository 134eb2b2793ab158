import { findAddress } from '../customers/findAddress.ts';
import { findPerson, listUsernames } from '../customers/findPerson.ts';
import type { Queryable } from '../db/database.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One of our wallets, as operators see it. */
interface FoundWallet {
  readonly walletId: string;
  readonly address: string;
  readonly userId: string | null;
  readonly username: string | null;
  readonly provider: string;
  readonly createdAt: Date;
  readonly replacedAt: Date | null;
  /** The blockchains on which its owner receives and pays with this wallet. */
  readonly blockchains: readonly string[];
  /** The blockchains on which its owner has another wallet. */
  readonly others: readonly { readonly blockchain: string; readonly walletId: string; readonly address: string }[];
  readonly holdings: readonly {
    readonly blockchain: string;
    readonly coins: bigint;
    readonly reserved: bigint;
    readonly blockedAt: Date | null;
    /** Why its coins could not be moved the last time, and until when they are not used for planning. */
    readonly refusal: string | null;
    readonly refusedUntil: Date | null;
    readonly isRescanned: boolean;
  }[];
}

/**
 * Finds a wallet by address, wallet id, `treasury`, or any name of its owner. If the owner has several, returns the
 * current one.
 */
export async function findWallet(db: Queryable, text: string): Promise<FoundWallet | undefined> {
  const walletId = await findId(db, text);
  if (walletId === undefined) return undefined;
  const [wallet] = await db.query<Omit<FoundWallet, 'holdings' | 'username' | 'blockchains' | 'others'>>(
    `SELECT wallet_id AS "walletId", address, user_id AS "userId", provider, created_at AS "createdAt",
            replaced_at AS "replacedAt" FROM wallets WHERE wallet_id = $1`,
    [walletId],
  );
  const { userId } = wallet!;
  const username = userId === null ? null : ((await listUsernames(db, [userId])).get(userId) ?? null);
  const used = await db.query<FoundWallet['others'][number]>(
    `SELECT DISTINCT n.blockchain, w.wallet_id AS "walletId", w.address
       FROM owner_wallets w JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE ${userId === null ? `w.kind = 'treasury'` : 'w.user_id = $1'} ORDER BY n.blockchain`,
    userId === null ? [] : [userId],
  );
  const holdings = await db.query<FoundWallet['holdings'][number]>(
    `SELECT s.blockchain, h.coins, h.reserved, h.blocked_at AS "blockedAt", h.refusal,
            h.refused_until AS "refusedUntil",
            EXISTS (SELECT FROM wallet_rescans r WHERE r.asset_id = h.asset_id AND r.wallet_id = h.wallet_id
                       AND r.next_block IS NOT NULL) AS "isRescanned"
       FROM holdings h JOIN assets USING (asset_id) JOIN networks s USING (network_id)
      WHERE h.wallet_id = $1 ORDER BY s.blockchain`,
    [walletId],
  );
  return {
    ...wallet!,
    username,
    blockchains: used.filter((one) => one.walletId === walletId).map(({ blockchain }) => blockchain),
    others: used.filter((one) => one.walletId !== walletId),
    holdings,
  };
}

async function findId(db: Queryable, text: string): Promise<string | undefined> {
  if (UUID.test(text)) {
    const [own] = await db.query<{ wallet_id: string }>('SELECT wallet_id FROM wallets WHERE wallet_id = $1', [text]);
    if (own) return own.wallet_id;
  }
  const own = await findAddress(db, text);
  if (own) return own.walletId;
  const isTreasury = text === 'treasury';
  const userId = isTreasury ? undefined : await findPerson(db, text);
  if (!isTreasury && userId === undefined) return undefined;
  const [owned] = await db.query<{ wallet_id: string }>(
    `SELECT wallet_id FROM owner_wallets WHERE CASE WHEN $1::uuid IS NULL THEN kind = 'treasury' ELSE user_id = $1 END
      ORDER BY asset_id LIMIT 1`,
    [userId ?? null],
  );
  return owned?.wallet_id;
}
