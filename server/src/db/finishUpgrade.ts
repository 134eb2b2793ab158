/**
 * The part of an upgrade that must wait until no process of the previous release is left, because they need what it
 * removes, and that cannot be in a migration, because it must not lock a large table: PostgreSQL builds and drops such
 * indexes beside the payments, outside of a database transaction. Privileges that only those processes need end here too.
 * Safe to repeat, also after it was interrupted.
 */
import pg from 'pg';
import { ADVISORY_LOCKS } from './advisoryLocks.ts';
import { readBuildVersion, readPrivileges, readReleased, SQL_FOLDER } from './readSql.ts';
import { describeBuild, findNewestRelease, judgeBuild, noteFinished } from './releases.ts';
import { applyPrivileges, becomeOwner, readPrefix } from './roles.ts';

interface Replaced {
  readonly old: string;
  readonly name: string;
  readonly definition: string;
}

/** As in the migration `0013_transfers`, which gives them to a new database. */
const REPLACED: readonly Replaced[] = (['debit', 'credit'] as const).map((side) => ({
  old: `transfers_by_${side}`,
  name: `transfers_${side}_posts`,
  definition: `ON transfers (${side}_account, ${side}_entry)
    WHERE ${side}_prev IS NULL OR ${side}_entry % 32 = 0 OR kind <> 'user'`,
}));

export async function finishUpgrade(
  databaseUrl: string,
  { log = () => {} }: { readonly log?: (line: string) => void } = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      ADVISORY_LOCKS.finishUpgrade,
    ]);
    if (!rows[0]!.taken) throw new Error('the upgrade is being finished by another process already');
    const prefix = await readPrefix(client);
    await becomeOwner(client, prefix);
    await takeBackPrivileges(client, prefix);
    for (const { old, name, definition } of REPLACED) {
      // Left behind by a run that was interrupted.
      if ((await findIndex(client, name)) === 'broken') await client.query(`DROP INDEX CONCURRENTLY ${name}`);
      if (!(await findIndex(client, name))) {
        log(`building ${name}: payments go on`);
        await client.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ${definition}`);
      }
      if (!(await findIndex(client, old))) continue;
      await client.query(`DROP INDEX CONCURRENTLY ${old}`);
      log(`${old} was replaced by ${name}`);
    }
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/** What only processes of the previous release needed, they may no longer do. */
async function takeBackPrivileges(client: pg.Client, prefix: string): Promise<void> {
  const build = describeBuild(await readBuildVersion(), await readReleased(SQL_FOLDER));
  if (judgeBuild(build, await findNewestRelease(client)) !== 'newest') return;
  await client.query('BEGIN');
  await noteFinished(client, build);
  await applyPrivileges(client, prefix, await readPrivileges(SQL_FOLDER), false);
  await client.query('COMMIT');
}

async function findIndex(client: pg.Client, name: string): Promise<'usable' | 'broken' | undefined> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0] && (rows[0].indisvalid ? 'usable' : 'broken');
}
