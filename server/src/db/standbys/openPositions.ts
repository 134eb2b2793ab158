import { setTimeout as sleep } from 'node:timers/promises';
import { openDedicatedConnection, type Statement } from '../openDedicatedConnection.ts';

/**
 * The primary's position in the write-ahead log. A standby that has reached it shows everything that was answered
 * before.
 */
export interface Position {
  /** Identifies the database and its history. It changes after a failover that lost commits. */
  readonly course: string;
  /** The end of the log (`pg_lsn`). */
  readonly lsn: string;
}

interface Positions {
  /** Returns the position at some moment after this call. */
  ask(): Promise<Position>;
  close(): Promise<void>;
}

/**
 * Everything that was answered is in the log and flushed to the primary's disk: a commit that is not flushed has not
 * been answered. The exception is a session that commits without waiting for the disk: then the log counts up to its
 * end in memory. `course` is compared with the same text from a standby (`openStandby`).
 */
const ASK: Statement = {
  name: 'primary_position',
  text: `SELECT concat_ws(' ', system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int,
                          current_database()),
                CASE WHEN current_setting('synchronous_commit') = 'off'
                       OR EXISTS (SELECT FROM pg_db_role_setting WHERE 'synchronous_commit=off' = ANY (setconfig))
                     THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END
           FROM pg_control_system()`,
};

/** All callers within this time share one query. */
const EVERY_MS = 2;

/** If the primary takes longer than this, the statement itself waits or is refused. */
const TIMEOUT_MS = 1_000;

export function openPositions(databaseUrl: string): Positions {
  const connection = openDedicatedConnection(databaseUrl, {
    applicationName: 'florin-position',
    connectTimeoutMs: TIMEOUT_MS,
    statementTimeoutMs: TIMEOUT_MS,
  });
  /** Not sent yet: new callers may share it. */
  let next: Promise<Position> | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let askedAtMs = Number.NEGATIVE_INFINITY;

  async function askNext(): Promise<Position> {
    await underWay.catch(() => {});
    const earlyMs = askedAtMs + EVERY_MS - performance.now();
    if (earlyMs > 0) await sleep(earlyMs);
    next = undefined;
    askedAtMs = performance.now();
    const answer = connection.run(ASK, []);
    underWay = answer;
    const [course, lsn] = (await answer)[0] as [string, string];
    return { course, lsn };
  }

  return {
    ask() {
      next ??= askNext();
      return next;
    },
    close: () => connection.close(),
  };
}
