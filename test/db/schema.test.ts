/** `sql/` as a whole: what it creates, and that released migrations stay unchanged. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpSchema } from '../../scripts/schema/dumpSchema.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { readBuildVersion, readFunctions, readReleased, SQL_FOLDER } from '../../server/src/db/readSql.ts';
import { compareVersions } from '../../server/src/db/releases.ts';
import { readCatalogue } from '../support/database/readCatalogue.ts';
import { asAdmin, createTestDatabase, runAsAdmin, TEMPLATE } from '../support/database.ts';

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

const text = readFileSync(join(SQL_FOLDER, 'schema.sql'), 'utf8');
const readMajor = async () =>
  (await db.query<{ major: number }>(`SELECT current_setting('server_version_num')::int / 10000 AS major`))[0]!.major;
/** Functions whose text depends on the version of PostgreSQL, as this version gets them. */
const findDifferent = async (major: number) => {
  const ofFile = new Map((await readFunctions(SQL_FOLDER, 18)).map(({ name, sha256 }) => [name, sha256]));
  return (await readFunctions(SQL_FOLDER, major)).filter(({ name, sha256 }) => ofFile.get(name) !== sha256);
};

describe('sql/schema.sql', () => {
  it('is what the migrations, functions, comments and privileges make (npm run schema)', async () => {
    const major = await readMajor();
    const different = (await findDifferent(major)).map(({ name }) => `${name.split('/')[1]}; Type: FUNCTION`);
    const isSame = (part: string) => !different.some((label) => part.startsWith(label));
    // Before version 16 PostgreSQL printed views in another way.
    const choose = (sql: string) =>
      major === 18
        ? sql
        : sql
            .split('\n-- Name: ')
            .filter((part) => isSame(part) && !/^.*; Type: VIEW/.test(part))
            .join();
    expect(choose(await dumpSchema(database.adminUrl))).toBe(choose(text));
  });

  describe('loaded into an empty database', () => {
    let loaded: string;
    beforeAll(async () => {
      const url = new URL(database.adminUrl);
      url.pathname += '_loaded';
      loaded = url.href;
      await runAsAdmin(`CREATE DATABASE ${url.pathname.slice(1)} TEMPLATE template0`);
      await runAsAdmin(
        text.replace(/\bflorin_(owner|server|worker|signer|operator|reader|console)\b/g, `${TEMPLATE}_$1`),
        loaded,
      );
      for (const { sql } of await findDifferent(await readMajor())) {
        await runAsAdmin(`SET ROLE ${TEMPLATE}_owner; SET check_function_bodies = off; ${sql}`, loaded);
      }
    });
    afterAll(() => runAsAdmin(`DROP DATABASE IF EXISTS ${new URL(loaded).pathname.slice(1)} WITH (FORCE)`));

    it('makes the same catalogue as migrating', async () => {
      expect(await readCatalogue(loaded, TEMPLATE)).toEqual(await readCatalogue(database.adminUrl, TEMPLATE));
    });

    it.each([
      ['columns', 'ALTER TABLE payments ALTER COLUMN destination DROP NOT NULL'],
      ['columns', 'ALTER TABLE payments ALTER COLUMN destination SET STORAGE EXTERNAL'],
      ['relations', 'ALTER TABLE accounts RESET (fillfactor)'],
      ['constraints', 'ALTER TABLE wallets VALIDATE CONSTRAINT wallets_address_of_other_family'],
      ['constraints', 'ALTER TABLE payments DROP CONSTRAINT payments_state_check'],
      ['indexes', 'DROP INDEX jobs_due'],
      ['sequences', 'ALTER SEQUENCE jobs_job_id_seq CACHE 2'],
      ['functions', 'ALTER FUNCTION ledger_pay_batch SECURITY INVOKER'],
      ['triggers', 'ALTER TABLE accounts DISABLE TRIGGER accounts_stay'],
      ['grants on relations', `GRANT UPDATE ON accounts TO ${TEMPLATE}_server`],
      ['grants on columns', `REVOKE SELECT (key_id) ON service_keys FROM ${TEMPLATE}_reader`],
      ['grants on functions', `GRANT EXECUTE ON FUNCTION ledger_apply TO ${TEMPLATE}_server`],
      ['comments', 'COMMENT ON TABLE accounts IS NULL'],
      [
        'views',
        'CREATE OR REPLACE VIEW closed_accounts_with_money AS SELECT NULL::uuid AS user_id, NULL::timestamptz AS closed_at, NULL::text AS blockchain, 0::bigint AS available, 0::bigint AS held',
      ],
    ])('compares %s: %s', async (kind, statement) => {
      const before = await readCatalogue(loaded, TEMPLATE, [kind]);
      await asAdmin(loaded, statement);
      expect(await readCatalogue(loaded, TEMPLATE, [kind])).not.toEqual(before);
    });
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
    expect(made.map(({ name }) => name).sort()).toEqual([...names, 'address_look', 'username_skeleton'].sort());
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
