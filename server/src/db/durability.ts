import type { Queryable } from './database.ts';

/** What becomes of a committed payment when a machine is lost. */
interface Durability {
  readonly fsync: string;
  readonly full_page_writes: string;
  /** Of our own connections. */
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  /** Standbys that are connected. */
  readonly standbys: number;
  /** How many of them confirm every commit, and how far the last of them is behind; null for a login that may not see it. */
  readonly synchronous_standbys: number | null;
  readonly lag_seconds: number | null;
}

/** A member of `pg_read_all_stats` sees how each standby is; everybody sees how many there are. */
export async function readDurability(db: Queryable): Promise<Durability> {
  const [found] = await db.query<Durability>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('synchronous_standby_names') AS synchronous_standby_names,
            count(r.pid)::int AS standbys,
            CASE WHEN count(r.sync_state) = count(r.pid)
                 THEN (count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum')))::int END AS synchronous_standbys,
            CASE WHEN count(r.sync_state) > 0
                 THEN coalesce(extract(epoch FROM max(r.replay_lag)), 0)::float8 END AS lag_seconds
       FROM (SELECT) AS one LEFT JOIN pg_stat_replication r ON r.application_name IS DISTINCT FROM 'pg_basebackup'`,
  );
  return found!;
}

const PAGE = 'docs/operating/high-availability.md';

/** How a payment that was answered could be lost, in words. None: only together with every machine that confirms commits. */
export function findLosses(durability: Durability): string[] {
  const { fsync, full_page_writes: pages, synchronous_commit: commit, standbys } = durability;
  const losses: string[] = [];
  if (fsync === 'off')
    losses.push(
      'fsync is off: a power failure loses payments that were answered, and can break the database: fsync = on',
    );
  if (pages === 'off')
    losses.push('full_page_writes is off: a power failure can break the database: full_page_writes = on');
  if (commit === 'off')
    losses.push(
      'synchronous_commit is off: a crash of the database loses the payments of the last moments: synchronous_commit = on',
    );
  const confirms = durability.synchronous_standby_names !== '' && !['off', 'local'].includes(commit);
  if (standbys > 0 && (!confirms || durability.synchronous_standbys === 0))
    losses.push(`its standbys confirm no commits: a failover loses payments that were answered: ${PAGE}`);
  return losses;
}
