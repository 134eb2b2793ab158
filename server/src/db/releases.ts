/**
 * Decides which builds may use a database. The database has the functions of the newest build that has migrated it. The
 * release before that may still run, so that an upgrade needs no downtime. See
 * docs/decisions/0010-roles-and-functions.md.
 */
import type pg from 'pg';
import type { Release } from './readSql.ts';

interface Build {
  readonly version: string;
  /** The previous release, whose processes may run at the same time. */
  readonly previous: string | undefined;
}

/** `newest`: may apply its migrations and functions. `previous`: may use the database, but applies nothing. */
export type Standing = 'newest' | 'previous';

export interface ReleaseRow {
  readonly version: string;
  readonly previous: string | null;
}

export function describeBuild(version: string, released: readonly Release[]): Build {
  const before = released.map((release) => release.version).filter((other) => compareVersions(other, version) < 0);
  return { version, previous: before.sort(compareVersions).at(-1) };
}

/** Throws when this build may not use the database. */
export function judgeBuild(build: Build, newest: ReleaseRow | undefined): Standing {
  if (newest === undefined || compareVersions(build.version, newest.version) >= 0) return 'newest';
  if (newest.previous === build.version) return 'previous';
  const beside = newest.previous ? `${newest.previous} or ${newest.version}` : newest.version;
  throw new Error(
    `this build is ${build.version}, and the database was migrated by ${newest.version}. ` +
      `It can be used by ${beside}: start one of those, or restore a backup from before the upgrade ` +
      '(docs/operating/upgrade.md)',
  );
}

export async function findNewestRelease(client: pg.ClientBase): Promise<ReleaseRow | undefined> {
  return newestOf((await client.query<ReleaseRow>('SELECT version, previous FROM releases')).rows);
}

export const newestOf = (rows: readonly ReleaseRow[]): ReleaseRow | undefined =>
  [...rows].sort((a, b) => compareVersions(a.version, b.version)).at(-1);

/** `previous` follows `sql/released.json`, even if that file is corrected after a first migration. */
export async function recordRelease(client: pg.ClientBase, build: Build): Promise<void> {
  await client.query(
    'INSERT INTO releases (version, previous) VALUES ($1, $2) ON CONFLICT (version) DO UPDATE SET previous = $2',
    [build.version, build.previous],
  );
}

/**
 * Whether processes of the previous release may use this database: that release has migrated it, and no operator has
 * declared the upgrade finished.
 */
export async function mayPreviousRun(client: pg.ClientBase, build: Build): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT EXISTS (SELECT FROM releases WHERE version = $2)
        AND NOT EXISTS (SELECT FROM releases WHERE version = $1 AND finished_at IS NOT NULL) AS may`,
    [build.version, build.previous ?? null],
  );
  return rows[0]!.may;
}

/** Records that no process of the previous release is left. */
export async function noteFinished(client: pg.ClientBase, build: Build): Promise<void> {
  await client.query('UPDATE releases SET finished_at = coalesce(finished_at, now()) WHERE version = $1', [
    build.version,
  ]);
}

/** A version consists of three numbers. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  const differing = left.findIndex((part, i) => part !== right[i]);
  return differing === -1 ? 0 : left[differing]! - right[differing]!;
}

function parseVersion(version: string): number[] {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`a version has three numbers, like 0.2.0, not ${version}`);
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
