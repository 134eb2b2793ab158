/**
 * Brings a database to the state that this build needs: first numbered migrations (tables; forward only, never edited),
 * then functions (`applyFunctions.ts`) and comments (`applyComments.ts`). Any number of processes may start concurrently:
 * an advisory lock lets one of them work while the others wait and then find nothing to do.
 *
 * Everything is created as the owner's role (`roles.ts`). At the end every role gets its privileges
 * (`sql/privileges.sql`, and while the previous release may run also `sql/privileges.previous.sql`).
 *
 * Only the newest build applies anything; `releases.ts` decides which other builds may use the database. A migration
 * must therefore keep what the previous release needs: add a column now, drop the old one a release later.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { ADVISORY_LOCKS } from './advisoryLocks.ts';
import { applyComments } from './applyComments.ts';
import { applyFunctions } from './applyFunctions.ts';
import { connect, holdLock } from './holdLock.ts';
import { commit } from './maintain.ts';
import {
  readBuildVersion,
  readComments,
  readFunctions,
  readMigrations,
  readPrivileges,
  readReleased,
  SQL_FOLDER,
  type SqlFile,
} from './readSql.ts';
import {
  describeBuild,
  findNewestRelease,
  judgeBuild,
  mayPreviousRun,
  recordRelease,
  type Standing,
} from './releases.ts';
import { applyPrivileges, becomeOwner, readPrefix } from './roles.ts';

interface MigrateOptions {
  /** A folder other than `sql/` and a version other than this build's, for tests. */
  readonly folder?: string;
  readonly version?: string;
  readonly log?: (line: string) => void;
  /** How many times, and how long each time, to wait for another process that is migrating. */
  readonly attempts?: number;
  readonly attemptMs?: number;
}

const BUSY =
  'another process has held the lock of migrations for minutes: check what it waits for (SELECT * FROM pg_stat_activity), ' +
  'or end that process, then start again';

const DISCARD =
  'In a sandbox, or a development database that you can discard, start again instead (npm start -- --fresh)';

export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<void> {
  const { folder = SQL_FOLDER, version = await readBuildVersion(), log, attempts = 60, attemptMs = 10_000 } = options;
  const files = await readMigrations(folder);
  const privileges = await readPrivileges(folder);
  const build = describeBuild(version, await readReleased(folder));
  const work = async () => {
    const client = await connect(databaseUrl);
    try {
      await apply(client);
    } finally {
      await client.end();
    }
  };
  for (let attempt = 1; !(await holdLock(databaseUrl, ADVISORY_LOCKS.migrate, attemptMs, work)); attempt++) {
    if (attempt === attempts) throw new Error(BUSY);
    log?.('another process is migrating this database; waiting for it');
  }

  async function apply(client: pg.Client): Promise<void> {
    const prefix = await readPrefix(client);
    await becomeOwner(client, prefix);
    await client.query(await readFile(join(SQL_FOLDER, 'bookkeeping.sql'), 'utf8'));
    await client.query('INSERT INTO role_names (prefix) VALUES ($1) ON CONFLICT DO NOTHING', [prefix]);
    const newest = await findNewestRelease(client);
    const standing = judgeBuild(build, newest);
    const missing = await findMissing(client, files, standing);
    if (standing === 'previous') {
      log?.(`the database was migrated by ${newest!.version}; ${version} runs alongside it and changes nothing`);
      return;
    }
    for (const file of missing) {
      await applyMigration(client, file);
      log?.(`migrated ${file.name}`);
    }
    const major = await readServerMajor(client);
    const functions = await readFunctions(folder, major);
    const changed = await commit(client, async () => {
      const names = await applyFunctions(client, functions, major);
      await recordRelease(client, build);
      await applyPrivileges(client, prefix, privileges, await mayPreviousRun(client, build));
      return names;
    });
    if (changed.length > 0) log?.(`applied ${changed.length} functions: ${changed.join(', ')}`);
    const line = await applyComments(client, await readComments(folder), major);
    if (line) log?.(line);
  }
}

async function readServerMajor(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  );
  return rows[0]!.major;
}

async function applyMigration(client: pg.Client, file: SqlFile): Promise<void> {
  try {
    await commit(client, async () => {
      await client.query(file.sql);
      await client.query('INSERT INTO migrations (name, sha256) VALUES ($1, $2)', [file.name, file.sha256]);
    });
  } catch (error) {
    throw new Error(`migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws when the database's migrations do not match this build's: continuing could destroy data. */
async function findMissing(client: pg.Client, files: readonly SqlFile[], standing: Standing): Promise<SqlFile[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM migrations');
  const known = new Map(files.map((file) => [file.name, file.sha256]));
  for (const { name, sha256 } of rows) {
    const ours = known.get(name);
    if (ours === undefined && standing === 'newest') {
      throw new Error(
        `the database has migration ${name}, which this build does not have: another build has migrated it. ` +
          `Start that one, or restore a backup from before it (docs/operating/upgrade.md). ${DISCARD}`,
      );
    }
    if (ours !== undefined && ours !== sha256) {
      throw new Error(
        `migration ${name} was changed after it had been applied to this database. Restore the file ` +
          `and write the change as a new migration. ${DISCARD}`,
      );
    }
  }
  const applied = new Set(rows.map(({ name }) => name));
  return files.filter(({ name }) => !applied.has(name));
}
