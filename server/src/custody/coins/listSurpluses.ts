import type { Queryable } from '../../db/database.ts';

/** Coins on a chain beyond the counted ones. */
interface Surplus {
  readonly blockchain: string;
  readonly symbol: string;
  /** Null: the coins are counted, but the ledger owes them to no one. */
  readonly walletId: string | null;
  readonly amount: bigint;
  readonly since: Date;
}

/** Anyone can create surpluses, in as many wallets as they like, so only the largest are listed. */
const LIMIT = 50;

/** For operators: the surpluses that two polls of reconciliation have seen. */
export const listSurpluses = (db: Queryable): Promise<Surplus[]> =>
  db.query<Surplus>(
    `SELECT n.blockchain, s.symbol, CASE WHEN d.subject LIKE 'wallet %' THEN substr(d.subject, 8) END AS "walletId",
            d.difference::bigint AS amount, d.since
       FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE d.difference > 0 AND d.looks >= 2 ORDER BY d.difference DESC, d.subject LIMIT ${LIMIT}`,
  );
