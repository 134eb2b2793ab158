import type { Queryable } from '../../db/database.ts';

/** A move of coins, for operators. */
interface Move {
  readonly moveId: string;
  readonly state: string;
  readonly purpose: string;
  readonly rail: string;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly fromWalletId: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly txHash: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
}

/** The move of a payment to an address, and the moves that bring coins for it. */
export const readMoves = (db: Queryable, paymentId: string): Promise<Move[]> =>
  db.query<Move>(
    `SELECT m.move_id AS "moveId", m.state, m.purpose, m.rail, m.amount, n.blockchain, m.wallet_id AS "fromWalletId",
            m.from_address AS "fromAddress", m.to_address AS "toAddress", m.tx_hash AS "txHash",
            m.created_at AS "createdAt", m.started_at AS "startedAt"
       FROM (SELECT * FROM coin_moves WHERE move_id = $1 UNION ALL SELECT * FROM coin_moves WHERE funds = $1) m
       JOIN assets USING (asset_id) JOIN networks n USING (network_id) ORDER BY m.created_at, m.move_id`,
    [paymentId],
  );
