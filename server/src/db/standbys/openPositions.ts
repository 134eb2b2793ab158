import { setTimeout as sleep } from 'node:timers/promises';
import { openLane, type Statement } from '../openLane.ts';

/** How far the primary has come. A standby that is as far shows everything that was answered before. */
export interface Position {
  /** Of which database, and in which course of events: after a failover that lost commits it is another one. */
  readonly course: string;
  /** Where the log ends (`pg_lsn`). */
  readonly lsn: string;
}

interface Positions {
  /** The position at some moment after this call. */
  ask(): Promise<Position>;
  close(): Promise<void>;
}

/**
 * Whatever was answered is in the log, and on the primary's disk: what is not flushed yet has not been answered. Unless
 * somebody commits without waiting for the disk: then the log counts as far as it is written in memory. `course` is
 * compared with the same text of a standby (`openStandby`).
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

/** All that arrive within this time share a question. */
const EVERY_MS = 2;

/** Asks the primary. Away for longer than this, it is for the statement itself to wait or to be refused. */
const TIMEOUT_MS = 1_000;

export function openPositions(databaseUrl: string): Positions {
  const lane = openLane(databaseUrl, {
    applicationName: 'florin-position',
    connectTimeoutMs: TIMEOUT_MS,
    statementTimeoutMs: TIMEOUT_MS,
  });
  /** Not asked yet: whoever comes now may share it. */
  let next: Promise<Position> | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let askedAtMs = Number.NEGATIVE_INFINITY;

  async function askNext(): Promise<Position> {
    await underWay.catch(() => {});
    const earlyMs = askedAtMs + EVERY_MS - performance.now();
    if (earlyMs > 0) await sleep(earlyMs);
    next = undefined;
    askedAtMs = performance.now();
    const answer = lane.run(ASK, []);
    underWay = answer;
    const [course, lsn] = (await answer)[0] as [string, string];
    return { course, lsn };
  }

  return {
    ask() {
      next ??= askNext();
      return next;
    },
    close: () => lane.close(),
  };
}
