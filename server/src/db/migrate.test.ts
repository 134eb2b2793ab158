import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyDatabase } from '../../../test/support/database.ts';
import { ADVISORY_LOCKS } from './advisoryLocks.ts';
import { type Db, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let db: Db;
let folder: string;
beforeEach(async () => {
  database = await createEmptyDatabase();
  db = openDatabase(database.adminUrl);
  folder = await mkdtemp(join(tmpdir(), 'florin-sql-'));
  await mkdir(join(folder, 'migrations'));
  await mkdir(join(folder, 'functions', 'module'), { recursive: true });
  await writeFile(join(folder, 'released.json'), '[]');
  await writeFile(join(folder, 'privileges.sql'), '');
  await writeMigration('0001_one.sql', 'CREATE TABLE one (n int); INSERT INTO one VALUES (1)');
});
afterEach(async () => {
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

const writeMigration = (name: string, sql: string) => writeFile(join(folder, 'migrations', name), sql);
const writeFunction = (name: string, sql: string) => writeFile(join(folder, 'functions', 'module', name), sql);
const answering = (text: string) =>
  `CREATE OR REPLACE FUNCTION answer() RETURNS text LANGUAGE sql AS $$ SELECT '${text}' $$`;
const release = (...versions: string[]) =>
  writeFile(
    join(folder, 'released.json'),
    JSON.stringify(versions.map((version) => ({ version, commit: 'c', migrations: {} }))),
  );
/** Returns the logged lines. */
const run = async (version = '0.2.0') => {
  const lines: string[] = [];
  await migrate(database.adminUrl, { folder, version, log: (line) => lines.push(line) });
  return lines;
};
const count = async (table: string) => (await db.query(`SELECT 1 FROM ${table}`)).length;
const ask = async () => (await db.query<{ answer: string }>('SELECT answer()'))[0]!.answer;

describe('migrations', () => {
  it('run once, even when ten processes start concurrently', async () => {
    await Promise.all(Array.from({ length: 10 }, () => run()));
    expect(await count('one')).toBe(1);
  });

  it('continue where they stopped: a failed file leaves nothing behind', async () => {
    await writeMigration('0002_two.sql', 'CREATE TABLE two (n int); SELECT 1/0');
    await expect(run()).rejects.toThrow(/0002_two.sql failed: division by zero/);
    await expect(count('two')).rejects.toThrow(/does not exist/);
    await writeMigration('0002_two.sql', 'CREATE TABLE two (n int)');
    await run();
    expect(await count('two')).toBe(0);
  });

  it('refuse a file that was changed after it ran, and say what to do', async () => {
    await run();
    await writeMigration('0001_one.sql', 'CREATE TABLE one (n bigint)');
    await expect(run()).rejects.toThrow(/0001_one.sql was changed .* Restore the file .* new migration/);
    await rm(join(folder, 'migrations', '0001_one.sql'));
    await expect(run()).rejects.toThrow(/0001_one.sql, which this build does not have: .* Start that one.* --fresh/);
  });

  it('wait for another process that migrates, log it, and give up when it never ends', async () => {
    const lines: string[] = [];
    const options = { folder, version: '0.2.0', log: (line: string) => lines.push(line), attemptMs: 100 };
    await db.tx(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migrate]);
      await expect(migrate(database.adminUrl, { ...options, attempts: 2 })).rejects.toThrow(
        /held the lock of migrations/,
      );
    });
    expect(lines).toEqual(['another process is migrating this database; waiting for it']);
    await migrate(database.adminUrl, options);
    expect(await count('one')).toBe(1);
  });

  it('wait for a lock that a payment holds, without ending the payment', async () => {
    await run();
    await writeMigration('0002_two.sql', 'ALTER TABLE one ADD COLUMN m int');
    const { migrating } = await db.tx(async (tx) => {
      await tx.query('UPDATE one SET n = 2');
      const started = run();
      await sleep(1_500);
      await tx.query('UPDATE one SET n = 3');
      // Return an object: returning the promise itself would await it, and it waits for this commit.
      return { migrating: started };
    });
    await migrating;
    expect(await db.query('SELECT * FROM one')).toEqual([{ n: 3, m: null }]);
  });
});

describe('functions', () => {
  it('are applied when their text changes, and only then', async () => {
    await writeFunction('answer.sql', answering('first'));
    expect(await run()).toContain('applied 1 functions: module/answer');
    expect(await run()).toEqual([]);
    await writeFunction('answer.sql', answering('second'));
    await run();
    expect(await ask()).toBe('second');
  });

  it('may come in any order, and come together or not at all', async () => {
    await writeFunction(
      'answer.sql',
      `CREATE OR REPLACE FUNCTION answer() RETURNS text LANGUAGE sql AS $$ SELECT later() $$`,
    );
    await writeFunction(
      'later.sql',
      `CREATE OR REPLACE FUNCTION later() RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$`,
    );
    await run();
    expect(await ask()).toBe('x');
    await writeFunction('answer.sql', answering('y'));
    await writeFunction(
      'later.sql',
      'CREATE OR REPLACE FUNCTION later() RETURNS nothing LANGUAGE sql AS $$ SELECT 1 $$',
    );
    await expect(run()).rejects.toThrow(/function module\/later failed/);
    expect(await ask()).toBe('x');
  });

  it('have the lines that this server needs, and are applied again on another version', async () => {
    const before = (major: number, line: string) => `  -- { before PostgreSQL ${major}\n${line}\n  -- }\n`;
    const answer = `CREATE OR REPLACE FUNCTION answer() RETURNS text LANGUAGE sql AS $$ SELECT 'any'\n`;
    await writeFunction('answer.sql', `${answer}${before(9, "|| ', before 9'")}${before(99, "|| ', before 99'")}$$`);
    await run();
    expect(await ask()).toBe('any, before 99');
    await db.query('UPDATE applied_functions SET server_major = 14');
    await db.query(answering('of an older server'));
    await run();
    expect(await ask()).toBe('any, before 99');
  });

  it('that were removed and came back are applied again', async () => {
    await writeFunction('answer.sql', answering('first'));
    await run();
    await rm(join(folder, 'functions', 'module', 'answer.sql'));
    await writeMigration('0002_two.sql', 'DROP FUNCTION answer()');
    await run();
    await writeFunction('answer.sql', answering('first'));
    await run();
    expect(await ask()).toBe('first');
  });
});

describe('comments', () => {
  const writeComments = async (sql: string) => {
    await mkdir(join(folder, 'comments'), { recursive: true });
    await writeFile(join(folder, 'comments', 'module.sql'), sql);
  };
  const read = async () => {
    const rows = await db.query<{ text: string | null }>(
      `SELECT unnest(ARRAY[obj_description('one'::regclass), col_description('one'::regclass, 1)]) AS text`,
    );
    return rows.map(({ text }) => text);
  };

  it('are applied when their text changes, and only then; those that went away are removed', async () => {
    await writeComments(`COMMENT ON TABLE one IS 'table'; COMMENT ON COLUMN one.n IS 'column';`);
    expect(await run()).toContain('applied the comments of tables');
    expect(await read()).toEqual(['table', 'column']);
    expect(await run()).toEqual([]);
    await writeComments(`COMMENT ON TABLE one IS 'other';`);
    await run();
    expect(await read()).toEqual(['other', null]);
  });

  it('come after all else: one that fails leaves the migrations and functions of this build applied', async () => {
    await writeFunction('answer.sql', answering('first'));
    await writeComments(`COMMENT ON TABLE one IS 'table'; COMMENT ON TABLE two IS 'not there yet';`);
    await expect(run()).rejects.toThrow(/two" does not exist/);
    expect(await ask()).toBe('first');
    expect(await read()).toEqual([null, null]);
    await writeMigration('0002_two.sql', 'CREATE TABLE two (n int)');
    await run();
    expect(await read()).toEqual(['table', null]);
  });

  it('do not stop an upgrade while a table is vacuumed or indexed: the next migration applies them', async () => {
    await run();
    await writeComments(`COMMENT ON TABLE one IS 'table';`);
    await db.tx(async (tx) => {
      await tx.query('LOCK TABLE one IN SHARE UPDATE EXCLUSIVE MODE');
      expect(await run('0.3.0')).toContainEqual(expect.stringMatching(/left the comments of tables to the next/));
    });
    expect(await read()).toEqual([null, null]);
    await run('0.3.0');
    expect(await read()).toEqual(['table', null]);
  });
});

describe('releases', () => {
  it('let the previous one run beside the newest, which alone decides', async () => {
    await writeFunction('answer.sql', answering('0.2.0'));
    await run('0.2.0');
    await release('0.2.0');
    await writeMigration('0002_two.sql', 'CREATE TABLE two (n int)');
    await writeFunction('answer.sql', answering('0.3.0'));
    await run('0.3.0');

    // The previous build has neither the table nor the new text.
    await release();
    await rm(join(folder, 'migrations', '0002_two.sql'));
    await writeFunction('answer.sql', answering('0.2.0'));
    expect(await run('0.2.0')).toEqual([expect.stringMatching(/migrated by 0.3.0; 0.2.0 runs alongside it/)]);
    expect(await ask()).toBe('0.3.0');
  });

  it('find the previous one also when released.json names it only after the first migration', async () => {
    await run('0.3.0');
    await expect(run('0.2.0')).rejects.toThrow(/can be used by 0.3.0:/);
    await release('0.2.0');
    await run('0.3.0');
    expect(await run('0.2.0')).toEqual([expect.stringMatching(/0.2.0 runs alongside it/)]);
  });

  it('refuse older ones, and say which can be used', async () => {
    await run('0.2.0');
    await release('0.2.0', '0.3.0');
    await run('0.4.0');
    await expect(run('0.2.0')).rejects.toThrow(/this build is 0.2.0, .* can be used by 0.3.0 or 0.4.0: .*upgrade.md/);
    await run('0.3.0');
    await run('0.4.0');
    await run('0.10.0');
    await expect(run('0.4.0')).rejects.toThrow(/migrated by 0.10.0/);
  });

  it('refuse a build whose own migrations were changed, also beside a newer one', async () => {
    await run('0.2.0');
    await release('0.2.0');
    await run('0.3.0');
    await writeMigration('0001_one.sql', 'CREATE TABLE one (n bigint)');
    await expect(run('0.2.0')).rejects.toThrow(/0001_one.sql was changed/);
  });
});
