/** `sql/comments`: every table and view is explained, and every column whose name does not say everything. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { createTestDatabase } from '../support/database.ts';

/** Columns that mean the same in every table. Amounts are in millionths; `seq` is a position in the feed. */
const OBVIOUS = [
  'address',
  'amount',
  'at',
  'block_hash',
  'block_number',
  'blockchain',
  'from_address',
  'log_index',
  'name',
  'only_one',
  'reason',
  'seq',
  'to_address',
  'tx_hash',
];

/** Ids of rows, times and people, named after the table or the event: `user_id`, `created_at`, `approved_by`. */
const NAMED_AFTER = '_(id|at|by)$';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

it('explains every table and view', async () => {
  const silent = await db.query(
    `SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND obj_description(oid, 'pg_class') IS NULL`,
  );
  expect(silent).toEqual([]);
});

it('explains every column that is not obvious', async () => {
  const silent = await db.query<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
        AND col_description(c.oid, a.attnum) IS NULL AND NOT a.attname = ANY ($1) AND a.attname !~ $2 ORDER BY 1`,
    [OBVIOUS, NAMED_AFTER],
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('writes short sentences', async () => {
  const odd = await db.query<{ description: string }>(
    `SELECT d.description FROM pg_description d JOIN pg_class c ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
      WHERE c.relnamespace = 'public'::regnamespace AND (d.description !~ '\\.$' OR length(d.description) > 250)`,
  );
  expect(odd).toEqual([]);
});
