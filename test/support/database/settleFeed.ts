import { expect } from 'vitest';
import type { Queryable } from '../../../server/src/db/database.ts';
import { eventually } from '../eventually.ts';

/**
 * Until every event that is committed can be read. Tests in other databases of the same PostgreSQL have transactions too,
 * which hold events of this one back for a moment.
 */
export const settleFeed = (db: Queryable): Promise<void> =>
  eventually(async () => {
    const [row] = await db.query<{ unsettled: boolean }>(
      'SELECT EXISTS (SELECT FROM feed WHERE seq >= ledger_settled_seq()) AS unsettled',
    );
    expect(row!.unsettled).toBe(false);
  });
