import type { Queryable } from './database.ts';

/** Settings that decide whether a committed payment survives the loss of a machine. */
interface Durability {
  readonly fsync: string;
  readonly full_page_writes: string;
  /** The setting of our own connections. */
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  /** The number of connected standbys. */
  readonly standbys: number;
  /** How many standbys confirm every commit, and the lag of the slowest one; null if the login may not see them. */
  readonly synchronous_standbys: number | null;
  readonly lag_seconds: number | null;
}

/** A member of `pg_read_all_stats` sees the state of each standby. Other logins see only how many there are. */
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

/** Describes how an acknowledged payment could be lost. Empty: only by losing every machine that confirms commits. */
export function findLosses(durability: Durability): string[] {
  const { fsync, full_page_writes: pages, synchronous_commit: commit, standbys } = durability;
  const losses: string[] = [];
  if (fsync === 'off')
    losses.push('fsync is off: a power failure loses acknowledged payments, and can corrupt the database: fsync = on');
  if (pages === 'off')
    losses.push('full_page_writes is off: a power failure can corrupt the database: full_page_writes = on');
  if (commit === 'off')
    losses.push(
      'synchronous_commit is off: a crash of the database loses the most recent payments: synchronous_commit = on',
    );
  const confirms = durability.synchronous_standby_names !== '' && !['off', 'local'].includes(commit);
  if (standbys > 0 && (!confirms || durability.synchronous_standbys === 0))
    losses.push(`its standbys confirm no commits: a failover loses acknowledged payments: ${PAGE}`);
  return losses;
}
