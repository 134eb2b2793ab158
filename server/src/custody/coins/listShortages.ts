import type { Queryable } from '../../db/database.ts';

/** A difference between ledger, counted coins and chain that reconciliation has seen, and that is not a surplus. */
interface Shortage {
  readonly blockchain: string;
  readonly symbol: string;
  /** Null: the sum of all coins differs from what the ledger owes. */
  readonly walletId: string | null;
  readonly address: string | null;
  /** Negative. */
  readonly amount: bigint;
  readonly since: Date;
}

const LIMIT = 50;

/** For operators, the largest first. Empty: no coins are missing. */
export const listShortages = (db: Queryable): Promise<Shortage[]> =>
  db.query<Shortage>(
    `SELECT n.blockchain, s.symbol, w.wallet_id AS "walletId", w.address, d.difference::bigint AS amount, d.since
       FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
       LEFT JOIN wallets w ON d.subject = 'wallet ' || w.wallet_id::text
      WHERE d.difference < 0 ORDER BY d.difference, d.subject LIMIT ${LIMIT}`,
  );

/** What the ledger owes in an asset, and the coins that custody counts for it. */
interface AssetPosition {
  readonly blockchain: string;
  readonly symbol: string;
  readonly owed: bigint;
  readonly coins: bigint;
  readonly reserved: bigint;
  readonly wallets: number;
}

export const listPositions = (db: Queryable): Promise<AssetPosition[]> =>
  db.query<AssetPosition>(
    `SELECT n.blockchain, s.symbol,
            coalesce((SELECT -(c.available + c.held) FROM accounts c
               WHERE c.kind = 'chain' AND c.asset_id = s.asset_id AND c.user_id IS NULL), 0)::bigint AS owed,
            coalesce(sum(h.coins), 0)::bigint AS coins, coalesce(sum(h.reserved), 0)::bigint AS reserved,
            count(h.wallet_id)::int AS wallets
       FROM assets s JOIN networks n USING (network_id)
       LEFT JOIN holdings h ON h.asset_id = s.asset_id AND h.coins > 0
      GROUP BY s.asset_id, n.blockchain, s.symbol ORDER BY n.blockchain, s.symbol`,
  );
