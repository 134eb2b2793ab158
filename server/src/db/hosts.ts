/**
 * A `DATABASE_URL` may name several hosts of a cluster (`postgres://login@db1,db2:5433,db3/florin`). Only one of them
 * takes writes at a time. The driver supports a single host only, so we find the host that takes writes before each
 * connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PayError } from '../core/errors.ts';

/** The connected host takes no writes. */
export class IsStandby extends Error {
  constructor({ host, port }: pg.Client) {
    super(`${host}:${port} is a standby`);
  }
}

/**
 * A client that detects whether it is connected to a standby: PostgreSQL reports this with every connection it accepts.
 * A host that was the primary a moment ago may be a standby when the next connection is made, and would show old
 * balances.
 */
export class HostClient extends pg.Client {
  #isHotStandby = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.#isHotStandby = parameterValue === 'on';
    });
  }

  /**
   * Costs nothing on a primary. A pooler in between may replay the report of another connection, so a yes is checked
   * with a query.
   */
  async isAtStandby(): Promise<boolean> {
    return this.#isHotStandby && isInRecovery(this);
  }
}

async function isInRecovery(client: pg.Client): Promise<boolean> {
  return (await client.query('SELECT 1 WHERE pg_is_in_recovery()')).rows.length > 0;
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

interface Hosts {
  /** Whether the URL names more than one host. */
  readonly areSeveral: boolean;
  /**
   * Returns the URL of the host that takes writes, and no other. With a single host, returns that one without asking.
   */
  find(): Promise<string>;
  /** That host could not be reached or refused to write: search again the next time. */
  leave(): void;
}

interface Primary {
  readonly url: string;
  readonly timeline: string;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * Returns one URL per host. `target_session_attrs` is removed: we always choose the primary, and the driver does not
 * support the setting.
 */
export function listHosts(url: string): string[] {
  const parts = URL_PARTS.exec(url);
  if (!parts) return [url];
  const [, start, hosts, rest] = parts as unknown as [string, string, string, string];
  const end = rest.replace(/([?&])target_session_attrs=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, '');
  return hosts.split(',').map((host) => `${start}${host}${end}`);
}

/** Returns the URL's `target_session_attrs`, if it has one. */
export const findSessionAttributes = (url: string): string | undefined =>
  /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1];

const ASK_AGAIN_MS = 250;

export function openHosts(url: string, connectTimeoutMs = 3_000): Hosts {
  const urls = listHosts(url);
  let found: string | undefined = urls.length === 1 ? urls[0] : undefined;
  let searching: Promise<string> | undefined;

  /**
   * Asks all hosts concurrently. While one is silent, those that take no writes are asked again, because any of them
   * may be promoted at any moment.
   */
  async function search(): Promise<string> {
    const primaries: Primary[] = [];
    const ask = async (one: string) => void primaries.push(await askTimeline(one, connectTimeoutMs));
    const firsts = urls.map(ask);
    let isOver = false;
    const allHeard = Promise.allSettled(firsts).then(() => {
      isOver = true;
    });
    const insist = async (one: string, first: Promise<void>) => {
      for (let asked = first; ; asked = ask(one)) {
        try {
          return await asked;
        } catch (error) {
          if (!isOver) await sleep(ASK_AGAIN_MS);
          if (isOver) throw error;
        }
      }
    };
    try {
      await Promise.any(firsts.map((first, nth) => insist(urls[nth]!, first)));
      // One host takes writes. Wait for the others too, but not the full time-out of a frozen host.
      await Promise.race([allHeard, sleep(connectTimeoutMs / 12, undefined, { ref: false })]);
      primaries.sort((a, b) => (a.timeline < b.timeline ? 1 : a.timeline > b.timeline ? -1 : 0));
      found = primaries[0]!.url;
      return found;
    } catch (error) {
      throw new PayError('service.unavailable', { dependency: 'database' }, { cause: error });
    } finally {
      isOver = true;
      searching = undefined;
    }
  }

  return {
    areSeveral: urls.length > 1,
    async find() {
      if (found !== undefined) return found;
      searching ??= search();
      return searching;
    },
    leave() {
      if (urls.length > 1) found = undefined;
    },
  };
}

/**
 * Checks that the host takes writes, and returns its timeline. A frozen host does not answer, so the others are asked
 * at the same time. A host that wakes up may believe that it is still the primary until its Patroni demotes it; the
 * host that was promoted after it has a newer timeline.
 */
async function askTimeline(url: string, timeoutMs: number): Promise<Primary> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'florin-hosts',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(
      `SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline`,
    );
    const { timeline } = rows[0]!;
    if (timeline === null) throw new IsStandby(client);
    return { url, timeline };
  } finally {
    await client.end().catch(() => {});
  }
}
