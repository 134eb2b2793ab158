import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let directory: string;
beforeEach(async () => {
  database = await createTestDatabase();
  const db = openDatabase(database.url);
  await db.query('DROP SCHEMA public CASCADE');
  await db.query('CREATE SCHEMA public');
  await db.close();
  directory = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  await writeFile(join(directory, '0001_one.sql'), 'CREATE TABLE one (n int); INSERT INTO one VALUES (1)');
});
afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const count = async (table: string) => {
  const db = openDatabase(database.url);
  try {
    return (await db.query(`SELECT 1 FROM ${table}`)).length;
  } finally {
    await db.close();
  }
};

describe('migrations', () => {
  it('run once, also when ten processes start at once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => migrate(database.url, { directory })));
    expect(await count('one')).toBe(1);
  });

  it('go on where they stopped: a failed file leaves nothing behind', async () => {
    await writeFile(join(directory, '0002_two.sql'), 'CREATE TABLE two (n int); SELECT 1/0');
    await expect(migrate(database.url, { directory })).rejects.toThrow(/0002_two.sql failed: division by zero/);
    await expect(count('two')).rejects.toThrow(/does not exist/);
    await writeFile(join(directory, '0002_two.sql'), 'CREATE TABLE two (n int)');
    await migrate(database.url, { directory });
    expect(await count('two')).toBe(0);
  });

  it('refuse a file that was changed after it ran, and a database that is newer than the build', async () => {
    await migrate(database.url, { directory });
    await writeFile(join(directory, '0001_one.sql'), 'CREATE TABLE one (n bigint)');
    await expect(migrate(database.url, { directory })).rejects.toThrow(/0001_one.sql was changed/);
    await rm(join(directory, '0001_one.sql'));
    await expect(migrate(database.url, { directory })).rejects.toThrow(/0001_one.sql, which this build does not know/);
  });

  it('leave no pinned function to the just-in-time compiler, which older versions call for it', async () => {
    await migrate(database.url);
    const db = openDatabase(database.url);
    const unpinned = await db.query(
      `SELECT proname FROM pg_proc WHERE 'enable_seqscan=off' = ANY (proconfig) AND NOT 'jit=off' = ANY (proconfig)`,
    );
    await db.close();
    expect(unpinned).toEqual([]);
  });
});
