/**
 * A `DATABASE_URL` may name several hosts of a cluster (`postgres://login@db1,db2:5433,db3/florin`), of which one at a time
 * takes writes. The driver knows one host only, so each connection is made to the host that takes writes now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PayError } from '../core/errors.ts';

/** What was connected to takes no writes. */
export class IsStandby extends Error {
  constructor({ host, port }: pg.Client) {
    super(`${host}:${port} is a standby`);
  }
}

/**
 * A client that knows whether it is connected to a standby: PostgreSQL says so with every connection that it accepts. A host
 * that was the primary a moment ago may be a standby when the next connection is made, and would show old money.
 */
export class HostClient extends pg.Client {
  #isTold = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.#isTold = parameterValue === 'on';
    });
  }

  /** Costs nothing on a primary. A pooler in between may remember what another connection was told, so a yes is asked again. */
  async isAtStandby(): Promise<boolean> {
    return this.#isTold && isInRecovery(this);
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
  /** Whether there is a choice. */
  readonly areSeveral: boolean;
  /** The URL of the host that takes writes, and of no other. With a single host that one, unasked. */
  find(): Promise<string>;
  /** That host could not be reached, or refused to write: look again the next time. */
  leave(): void;
}

interface Primary {
  readonly url: string;
  readonly timeline: string;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** One URL per host. `target_session_attrs` is left out: there is no choice, and the driver does not know it. */
export function listHosts(url: string): string[] {
  const parts = URL_PARTS.exec(url);
  if (!parts) return [url];
  const [, start, hosts, rest] = parts as unknown as [string, string, string, string];
  const end = rest.replace(/([?&])target_session_attrs=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, '');
  return hosts.split(',').map((host) => `${start}${host}${end}`);
}

/** What the hosts would be chosen by, if the URL says so. */
export const findSessionAttributes = (url: string): string | undefined =>
  /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1];

const ASK_AGAIN_MS = 250;

export function openHosts(url: string, connectTimeoutMs = 3_000): Hosts {
  const urls = listHosts(url);
  let found: string | undefined = urls.length === 1 ? urls[0] : undefined;
  let looking: Promise<string> | undefined;

  /**
   * Asks all hosts at once. While one is silent, those that take no writes are asked again: one of them may be promoted at
   * any moment.
   */
  async function look(): Promise<string> {
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
      // One takes writes: the others are waited for, but not as long as for one that is frozen.
      await Promise.race([allHeard, sleep(connectTimeoutMs / 12, undefined, { ref: false })]);
      primaries.sort((a, b) => (a.timeline < b.timeline ? 1 : a.timeline > b.timeline ? -1 : 0));
      found = primaries[0]!.url;
      return found;
    } catch (error) {
      throw new PayError('service.unavailable', { dependency: 'database' }, { cause: error });
    } finally {
      isOver = true;
      looking = undefined;
    }
  }

  return {
    areSeveral: urls.length > 1,
    async find() {
      if (found !== undefined) return found;
      looking ??= look();
      return looking;
    },
    leave() {
      if (urls.length > 1) found = undefined;
    },
  };
}

/**
 * The host takes writes, and since which promotion. A frozen host does not answer: the others are asked at the same time. One
 * that wakes up may believe that it still is the primary, until its Patroni tells it; the one that was promoted after it is on
 * a newer timeline.
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
