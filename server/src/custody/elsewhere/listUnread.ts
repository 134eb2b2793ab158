import type { Queryable } from '../../db/database.ts';

interface Unread {
  readonly blockchain: string;
  readonly symbol: string;
}

/** Tokens on blockchains that no node of ours reads: only a worker compares them, by what their provider says. */
export const listUnread = (db: Queryable): Promise<Unread[]> =>
  db.query<Unread>(
    `SELECT n.blockchain, a.symbol FROM assets a JOIN networks n USING (network_id)
      WHERE n.family <> 'evm' ORDER BY n.blockchain, a.symbol`,
  );
