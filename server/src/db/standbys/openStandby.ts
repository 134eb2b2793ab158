import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Position } from './openPositions.ts';

/**
 * The usability of a host of `FLORIN_DATABASE_READ_URL`. `replayed`: it shows everything up to the requested position.
 * `behind`: not yet. `primary`: it takes writes. `elsewhere`: it follows another database or another history. `unseen`:
 * it has no upstream, or our login may not see it. `away`: it does not answer.
 */
export type Standing = 'replayed' | 'behind' | 'primary' | 'elsewhere' | 'unseen' | 'away';

/**
 * Runs on the connection that reads next: a server keeps what it has replayed, and a server that goes back
 * (`pg_rewind`, or a new copy) closes its connections. The timeline is that of the log it receives; a standby only
 * receives a log that continues what it has replayed. Without the timeline, a standby with commits that a failover has
 * lost would seem to be ahead.
 */
const CHECK = {
  name: 'standby_standing',
  text: `SELECT CASE WHEN NOT pg_is_in_recovery() THEN 'primary'
                     WHEN r.status IS DISTINCT FROM 'streaming' THEN 'unseen'
                     WHEN concat_ws(' ', s.system_identifier, r.received_tli, current_database()) <> $1 THEN 'elsewhere'
                     WHEN pg_last_wal_replay_lsn() >= $2::pg_lsn THEN 'replayed'
                     ELSE 'behind' END AS standing
           FROM pg_control_system() s LEFT JOIN pg_stat_wal_receiver r ON true`,
};

const CONNECT_TIMEOUT_MS = 1_000;
/** A host that takes longer for this check counts as away. */
const CHECK_TIMEOUT_MS = 500;
/** A statement that takes longer here is sent to the primary instead. */
const STATEMENT_TIMEOUT_MS = 2_000;
const AGAIN_AFTER_MS = 2;

/** One connection to one host. It connects on first use, and again after it was dropped. */
export interface Standby {
  /** Waits at most this long until the host has replayed this position. */
  catchUp(position: Position, patienceMs: number): Promise<Standing>;
  /** Call only after `replayed`. Throws the driver's errors. */
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  /** Discards the connection. */
  drop(): void;
}

export function openStandby(url: string, applicationName: string): Standby {
  let connecting: Promise<pg.Client> | undefined;

  function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + CHECK_TIMEOUT_MS,
      application_name: applicationName,
      keepAlive: true,
    });
    const connected = client.connect().then(() => client);
    const lose = () => {
      if (connecting === connected) drop();
    };
    client.on('error', lose);
    client.on('end', lose);
    return connected;
  }

  function drop(): void {
    const dropped = connecting;
    connecting = undefined;
    void dropped?.then((client) => client.end()).catch(() => {});
  }

  async function check({ course, lsn }: Position): Promise<Standing> {
    connecting ??= connect();
    const client = await connecting;
    const asked = { ...CHECK, values: [course, lsn], query_timeout: CHECK_TIMEOUT_MS };
    const { rows } = await client.query<{ standing: Standing }>(asked);
    return rows[0]!.standing;
  }

  return {
    async catchUp(position, patienceMs) {
      const untilMs = performance.now() + patienceMs;
      try {
        for (;;) {
          const standing = await check(position);
          if (standing !== 'behind' || performance.now() >= untilMs) return standing;
          await sleep(AGAIN_AFTER_MS);
        }
      } catch {
        drop();
        return 'away';
      }
    },
    async query(config) {
      if (!connecting) throw new Error('the connection to the standby was lost');
      return (await connecting).query(config);
    },
    drop,
  };
}
