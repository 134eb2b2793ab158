/**
 * A `DATABASE_URL` may name several hosts of a cluster (`postgres://login@db1,db2:5433,db3/florin`), of which one at a time
 * takes writes. The driver knows one host only, so each connection is made to the host that takes writes now.
 */
import pg from 'pg';
import { PayError } from '../core/errors.ts';

interface Hosts {
  /** The URL of the host that takes writes, and of no other. With a single host that one, unasked. */
  find(): Promise<string>;
  /** That host could not be reached, or refused to write: look again the next time. */
  leave(): void;
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

export function openHosts(url: string, connectTimeoutMs = 3_000): Hosts {
  const urls = listHosts(url);
  let found: string | undefined = urls.length === 1 ? urls[0] : undefined;
  let looking: Promise<string> | undefined;

  async function look(): Promise<string> {
    try {
      found = await Promise.any(urls.map((one) => refuseStandby(one, connectTimeoutMs)));
      return found;
    } catch (error) {
      throw new PayError('service.unavailable', { dependency: 'database' }, { cause: error });
    } finally {
      looking = undefined;
    }
  }

  return {
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

/** The same URL, if its host takes writes. A frozen host does not answer: the others are asked at the same time. */
async function refuseStandby(url: string, timeoutMs: number): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'florin-hosts',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby');
    if (rows[0]!.is_standby) throw new Error(`${client.host}:${client.port} is a standby`);
    return url;
  } finally {
    await client.end().catch(() => {});
  }
}
