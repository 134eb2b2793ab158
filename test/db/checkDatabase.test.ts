/** What a process reports about a database that it cannot use, and about a login with too many or too few rights. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMigrationFaults, findRoleFaults } from '../../server/src/db/checkDatabase.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { readBuildVersion } from '../../server/src/db/readSql.ts';
import {
  asAdmin,
  createEmptyDatabase,
  createTestDatabase,
  runAsAdmin,
  type TestDatabase,
} from '../support/database.ts';
import { startProduction } from '../support/production.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function withDatabase<T>(url: string, at: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { maxConnections: 1 });
  return at(db).finally(() => db.close());
}

describe('the login of a process', () => {
  it('is a member of its role, and of nothing else', async () => {
    for (const role of ['server', 'worker'] as const) {
      expect(await withDatabase(database.urlOf(role), (db) => findRoleFaults(db, role))).toEqual([]);
    }
  });

  it.each([
    [
      'a superuser',
      () => database.adminUrl,
      [/logs in as \w+, a superuser: it needs .* a member of florin_template_server/],
    ],
    [
      'another role',
      () => database.urlOf('worker'),
      [/is not a member of \w+_server/, /is a member of \w+_worker: this server/],
    ],
    [
      'more roles',
      () => database.url,
      [/is a member of \w+_worker/, /is a member of \w+_signer/, /is a member of \w+_operator/],
    ],
  ])('is distinguished from %s', async (_, url, messages) => {
    const faults = await withDatabase(url(), (db) => findRoleFaults(db, 'server'));
    expect(faults).toEqual(messages.map((message) => expect.stringMatching(message)));
  });

  it('owns neither the database nor the right to create roles', async () => {
    const name = `florin_owning_${process.pid}`;
    await runAsAdmin(
      `CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD 'made-for-this-test' IN ROLE florin_template_server`,
    );
    const url = new URL(database.adminUrl);
    [url.username, url.password] = [name, 'made-for-this-test'];
    await runAsAdmin(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${name}`);
    try {
      const faults = await withDatabase(url.href, (db) => findRoleFaults(db, 'server'));
      expect(faults).toEqual([/owns the database/, /may create roles/].map((one) => expect.stringMatching(one)));
    } finally {
      await runAsAdmin(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO CURRENT_USER`);
      await runAsAdmin(`DROP ROLE ${name}`);
    }
  });

  it('stops a production server that has another role', async () => {
    await expect(startProduction({ DATABASE_URL: database.adminUrl })).rejects.toThrow(
      /ended with 5:.*The database cannot be used in its current state:\n {2}- this server logs in as \w+, a superuser/s,
    );
  });
});

describe('a database', () => {
  const faultsOf = (url = database.urlOf('server')) => withDatabase(url, findMigrationFaults);

  it('that this build has migrated is accepted', async () => {
    expect(await faultsOf()).toEqual([]);
  });

  it('that was never migrated is reported', async () => {
    const empty = await createEmptyDatabase();
    expect(await faultsOf(empty.urlOf('server'))).toEqual([expect.stringMatching(/never migrated: .* florin migrate/)]);
    await empty.drop();
  });

  it('that does not know the login is reported', async () => {
    const name = `florin_nobody_${process.pid}`;
    await runAsAdmin(`CREATE ROLE ${name} LOGIN PASSWORD 'made-for-this-test'`);
    const url = new URL(database.adminUrl);
    [url.username, url.password] = [name, 'made-for-this-test'];
    expect(await faultsOf(url.href)).toEqual([expect.stringMatching(/belongs to none of this database's roles/)]);
    await runAsAdmin(`DROP ROLE ${name}`);
  });

  it('of another release is reported with the builds that can use it', async () => {
    const build = await readBuildVersion();
    const setNewest = async (version: string, previous: string | null) => {
      await asAdmin(database.url, 'DELETE FROM releases');
      await asAdmin(database.url, 'INSERT INTO releases (version, previous) VALUES ($1, $2)', [version, previous]);
    };
    await setNewest('0.0.1', null);
    expect(await faultsOf()).toEqual([`this build is ${build}, and the database was migrated by 0.0.1: ${MIGRATE}`]);
    await setNewest('99.0.0', '98.0.0');
    expect(await faultsOf()).toEqual([expect.stringMatching(/can be used by 98.0.0 or 99.0.0/)]);
    await setNewest('99.0.0', build);
    expect(await faultsOf()).toEqual([]);
    // The previous release works with the newer functions; a build of the newest release must find its own.
    await asAdmin(database.url, `UPDATE applied_functions SET sha256 = 'other' WHERE name = 'ledger/ledger_apply'`);
    expect(await faultsOf()).toEqual([]);
    await setNewest(build, null);
    expect(await faultsOf()).toEqual([expect.stringMatching(/lacks migrations or functions of this build/)]);
  });

  it.each([1, 2, 3, 4])('that the next release migrates after query %i of the check is accepted', async (moment) => {
    const moving = await createTestDatabase();
    const build = await readBuildVersion();
    let queries = 0;
    const faults = await withDatabase(moving.urlOf('server'), (db) =>
      findMigrationFaults({
        async query<Row>(sql: string, values?: readonly unknown[]) {
          const rows = await db.query<Row>(sql, values);
          if (++queries === moment) {
            await asAdmin(moving.url, `INSERT INTO releases (version, previous) VALUES ('99.0.0', $1)`, [build]);
            await asAdmin(
              moving.url,
              `UPDATE applied_functions SET sha256 = 'other' WHERE name = 'ledger/ledger_apply'`,
            );
          }
          return rows;
        },
      }),
    );
    expect(faults).toEqual([]);
    await moving.drop();
  });

  const MIGRATE = 'run the migration first: florin migrate (docs/operating/upgrade.md)';
});
