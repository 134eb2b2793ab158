import type { Db } from '../../../../server/src/db/database.ts';
import type { TestDatabase } from '../../database/openTestDatabase.ts';

/** A database whose transactions run without triggers and foreign keys, so that rows stand alone. */
export const openBare = (database: () => TestDatabase): Db => ({
  query: (sql, values) => database().admin.query(sql, values),
  tx: (work) =>
    database().admin.tx(async (tx) => {
      await tx.query(`SET LOCAL session_replication_role = 'replica'`);
      return work(tx);
    }),
  close: async () => {},
});
