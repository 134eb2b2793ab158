import type { Queryable } from '../../db/database.ts';

/** Coins that a chain has beyond what was counted. */
interface Surplus {
  readonly blockchain: string;
  readonly symbol: string;
  /** Null: they are counted, and the ledger owes them to nobody. */
  readonly walletId: string | null;
  readonly amount: bigint;
  readonly since: Date;
}

/** Anybody can make some, with as many wallets as they like: the largest are listed. */
const LIMIT = 50;

/** For operators: those that two looks of reconciliation have seen. */
export const listSurpluses = (db: Queryable): Promise<Surplus[]> =>
  db.query<Surplus>(
    `SELECT n.blockchain, s.symbol, CASE WHEN d.subject LIKE 'wallet %' THEN substr(d.subject, 8) END AS "walletId",
            d.difference::bigint AS amount, d.since
       FROM drifts d JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE d.difference > 0 AND d.looks >= 2 ORDER BY d.difference DESC, d.subject LIMIT ${LIMIT}`,
  );
