import type { Queryable } from '../../db/database.ts';

interface ClosedAccount {
  readonly userId: string;
  readonly closedAt: Date;
  readonly blockchain: string;
  readonly available: bigint;
  readonly held: bigint;
}

/** For operators: lists closed accounts that have received money since. */
export const listClosedWithMoney = (db: Queryable): Promise<ClosedAccount[]> =>
  db.query<ClosedAccount>(
    `SELECT user_id AS "userId", closed_at AS "closedAt", blockchain, available, held
       FROM closed_accounts_with_money ORDER BY closed_at, user_id, blockchain`,
  );
