import type { Queryable } from '../../db/database.ts';

interface Unread {
  readonly blockchain: string;
  readonly symbol: string;
}

/** Lists the tokens on unwatched chains. Only a worker compares them, with their provider's balances. */
export const listUnread = (db: Queryable): Promise<Unread[]> =>
  db.query<Unread>(
    `SELECT n.blockchain, a.symbol FROM assets a JOIN networks n USING (network_id)
      WHERE n.family <> 'evm' ORDER BY n.blockchain, a.symbol`,
  );
