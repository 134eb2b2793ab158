import type { Queryable } from '../db/database.ts';

/** The progress of a move to another provider's wallets, on one blockchain. */
interface Moving {
  readonly blockchain: string;
  readonly provider: string;
  /** People without a wallet of this provider. */
  readonly waiting: number;
  /** Coins in wallets of other providers, and the number of those wallets. */
  readonly coins: bigint;
  readonly wallets: number;
}

export const listMoving = (db: Queryable): Promise<Moving[]> =>
  db.query<Moving>(
    `SELECT n.blockchain, n.wallet_provider AS provider,
            (SELECT count(*)::int FROM users u WHERE (u.user_id, n.wallet_provider, n.family) NOT IN (
               SELECT w.user_id, w.provider, w.family FROM wallets w
                WHERE w.user_id IS NOT NULL AND w.replaced_at IS NULL)) AS waiting,
            coalesce(sum(h.coins), 0)::bigint AS coins, count(h.wallet_id)::int AS wallets
       FROM networks n JOIN assets s USING (network_id)
       LEFT JOIN (holdings h JOIN wallets o USING (wallet_id))
              ON h.asset_id = s.asset_id AND h.coins > 0 AND o.provider <> n.wallet_provider
      GROUP BY n.blockchain, n.wallet_provider, n.family ORDER BY n.blockchain`,
  );
