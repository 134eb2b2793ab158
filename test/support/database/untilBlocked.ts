import { expect } from 'vitest';
import type { Queryable } from '../../../server/src/db/database.ts';
import { eventually } from '../eventually.ts';

/** Waits until this many statements in the database wait for a lock. */
export const untilBlocked = (db: Queryable, count = 1): Promise<void> =>
  eventually(async () => {
    const [row] = await db.query<{ blocked: bigint }>(
      `SELECT count(*) AS blocked FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(row!.blocked).toBe(BigInt(count));
  });
