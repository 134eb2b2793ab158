/**
 * The part of an upgrade that must wait until no process of the previous release is left, because those processes need
 * what it removes. It cannot be in a migration, because it must not lock a large table. It also revokes the privileges
 * that only those processes need. Safe to repeat, even after an interruption.
 */
import type pg from 'pg';
import { buildIndex, commit, findIndex, maintain } from './maintain.ts';
import { readBuildVersion, readPrivileges, readReleased, SQL_FOLDER } from './readSql.ts';
import { describeBuild, findNewestRelease, judgeBuild, noteFinished } from './releases.ts';
import { applyPrivileges } from './roles.ts';

const NO_ID = '00000000-0000-0000-0000-000000000000';

interface Replaced {
  readonly old: string;
  readonly name: string;
  readonly definition: string;
}

/** As in the migration `0010_ledger`, which creates them in a new database. */
const REPLACED: readonly Replaced[] = (['debit', 'credit'] as const).map((side) => ({
  old: `transfers_by_${side}`,
  name: `transfers_${side}_posts`,
  definition: `(${side}_account, ${side}_entry) WHERE ${side}_prev IS NULL OR ${side}_entry % 32 = 0 OR kind <> 'user'`,
}));

export const finishUpgrade = (
  databaseUrl: string,
  { log = () => {} }: { readonly log?: (line: string) => void } = {},
): Promise<void> =>
  maintain(databaseUrl, async (client, prefix) => {
    await takeBackPrivileges(client, prefix);
    await fillAmounts(client, log);
    for (const { old, name, definition } of REPLACED) {
      if (!(await findIndex(client, old))) continue;
      log(`building ${name}: payments continue`);
      await buildIndex(client, name, definition);
      await client.query(`DROP INDEX CONCURRENTLY ${old}`);
      log(`${old} was replaced by ${name}`);
    }
  });

/** Rows of `fillAmounts` in one commit: their payments are locked for that long. */
const FILLED = 1_000;

/** The amounts of payments from before 0.3.0 (`0009_payments`), which charged no fees. */
async function fillAmounts(client: pg.Client, log: (line: string) => void): Promise<void> {
  let filled = 0;
  for (let after = NO_ID; ; ) {
    const { rows } = await commit(client, () =>
      client.query<{ last: string | null; count: number }>('SELECT * FROM payments_fill_amounts($1, $2)', [
        after,
        FILLED,
      ]),
    );
    const { last, count } = rows[0]!;
    filled += count;
    if (!last) break;
    after = last;
  }
  if (filled > 0) log(`stored the amounts of ${filled} payments`);
}

/** Revokes the privileges that only processes of the previous release needed. */
async function takeBackPrivileges(client: pg.Client, prefix: string): Promise<void> {
  const build = describeBuild(await readBuildVersion(), await readReleased(SQL_FOLDER));
  if (judgeBuild(build, await findNewestRelease(client)) !== 'newest') return;
  await client.query('BEGIN');
  await noteFinished(client, build);
  await applyPrivileges(client, prefix, await readPrivileges(SQL_FOLDER), false);
  await client.query('COMMIT');
}
