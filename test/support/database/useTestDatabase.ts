import { afterAll, beforeAll } from 'vitest';
import type { Db } from '../../../server/src/db/database.ts';
import { openTestDatabase, type TestDatabase } from './openTestDatabase.ts';

/** A database for all tests of a file: created before the first one, removed after the last. */
export function useTestDatabase(options: Parameters<typeof openTestDatabase>[0] = {}): {
  readonly db: Db;
  readonly url: string;
} {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(options);
  });
  afterAll(() => database.remove());
  return {
    db: {
      query: (sql, values) => database.db.query(sql, values),
      tx: (work) => database.db.tx(work),
      close: () => database.db.close(),
    },
    get url() {
      return database.url;
    },
  };
}
