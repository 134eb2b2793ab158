import type { Queryable } from '../../db/database.ts';

const BATCH = 200;

/** Marks requests that have expired. True: there may be more. */
export async function expireRequests(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ expired: number }>('SELECT expire_money_requests($1) AS expired', [BATCH]);
  return row!.expired === BATCH;
}
