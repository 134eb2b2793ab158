/** `sql/` as a whole: what it creates, and that released migrations stay unchanged. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSchema } from '../../scripts/describeSchema.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { readBuildVersion, readFunctions, readReleased, SQL_FOLDER } from '../../server/src/db/readSql.ts';
import { compareVersions } from '../../server/src/db/releases.ts';
import { createTestDatabase } from '../support/database.ts';

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

describe('sql/schema.sql', () => {
  it('is what the migrations and functions create, on every version of PostgreSQL (npm run schema)', async () => {
    expect(await describeSchema(database.adminUrl)).toBe(readFileSync(join(SQL_FOLDER, 'schema.sql'), 'utf8'));
  });
});

describe('sql/functions', () => {
  it('creates every existing function once', async () => {
    const made = await db.query<{ name: string }>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
    );
    const files = await readFunctions(SQL_FOLDER, 18);
    // Two are part of a table: generated columns store their results. One is created by another.
    const names = files.map(({ name }) => name.split('/')[1]!);
    expect(made.map(({ name }) => name).sort()).toEqual(
      [...names, 'address_look', 'username_skeleton', 'find_transfers'].sort(),
    );
  });

  it('differs between versions only in whole blocks: no marker of one is left over', async () => {
    const [old, now] = [await readFunctions(SQL_FOLDER, 17), await readFunctions(SQL_FOLDER, 18)];
    const different = now.filter(({ sha256 }, i) => sha256 !== old[i]!.sha256);
    expect(different.map(({ name }) => name)).toEqual(['ledger/ledger_pay_batch']);
    expect([...old, ...now].filter(({ sql }) => /^ *-- *[{}]/m.test(sql))).toEqual([]);
  });

  it('keeps pinned functions away from the just-in-time compiler, which older versions run for them', async () => {
    const unpinned = await db.query(
      `SELECT proname FROM pg_proc WHERE 'enable_seqscan=off' = ANY (proconfig) AND NOT 'jit=off' = ANY (proconfig)`,
    );
    expect(unpinned).toEqual([]);
  });
});

describe('sql/released.json', () => {
  it('lists the released migrations in order, none newer than this build', async () => {
    const released = await readReleased(SQL_FOLDER);
    const versions = released.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort(compareVersions));
    expect(versions.filter((version) => compareVersions(version, '0.2.0') < 0)).toEqual([]);
    const build = await readBuildVersion();
    expect(versions.filter((version) => compareVersions(version, build) > 0)).toEqual([]);
    for (const { commit } of released) expect(commit).toMatch(/^[0-9a-f]{40}$/);
  });

  it('finds every released migration unchanged: a migration that has run anywhere is never edited or removed', async () => {
    for (const { version, migrations } of await readReleased(SQL_FOLDER)) {
      for (const [name, sha256] of Object.entries(migrations)) {
        const file = join(SQL_FOLDER, 'migrations', name);
        const found = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'missing';
        const advice = `${name} was released with ${version}: put it back as it was and write a new migration`;
        expect(found, advice).toBe(sha256);
      }
    }
  });
});
