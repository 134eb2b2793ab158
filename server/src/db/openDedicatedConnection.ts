/**
 * A connection outside the pool for one caller that runs statements one after another and keeps their prepared plans.
 * It connects on first use, and again after the connection was lost.
 */
import pg from 'pg';
import { PayError } from '../core/errors.ts';
import { isOutage } from './database.ts';
import { HostClient, IsStandby, openHosts } from './hosts.ts';

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Column values in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

export interface DedicatedConnection {
  /**
   * Runs each statement in its own database transaction, in the order of the calls. `service.unavailable` means that
   * the connection was lost and the statement may or may not be committed. Run it again with the same ids to find out.
   */
  run(statement: Statement, values: readonly (string | null)[]): Promise<TextRow[]>;
  /** If this connection may read from standbys: the connection that always uses the primary. */
  readonly primary?: DedicatedConnection;
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  readonly applicationName?: string;
}

export const asText: pg.CustomTypesConfig = { getTypeParser: () => (value: unknown) => value as never };

export function openDedicatedConnection(url: string, options: ConnectionOptions = {}): DedicatedConnection {
  const { statementTimeoutMs = 10_000, connectTimeoutMs = 3_000 } = options;
  const hosts = openHosts(url, connectTimeoutMs);
  let connecting: Promise<pg.Client> | undefined;
  let closed = false;

  async function connect(): Promise<pg.Client> {
    const client = new HostClient({
      connectionString: await hosts.find(),
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // The server's own time-out comes first. This one covers an answer that the network lost.
      query_timeout: statementTimeoutMs + 2_000,
      application_name: options.applicationName ?? 'florin-dedicated',
      keepAlive: true,
      types: asText,
    });
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    try {
      await client.connect();
      if (await client.isAtStandby()) throw new IsStandby(client);
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  }

  let current: pg.Client | undefined;

  function drop(client: pg.Client): void {
    if (current !== client) return;
    current = undefined;
    connecting = undefined;
    hosts.leave();
    client.end().catch(() => {});
  }

  async function getClient(): Promise<pg.Client> {
    if (current) return current;
    connecting ??= connect();
    try {
      current = await connecting;
      return current;
    } catch (error) {
      connecting = undefined;
      throw error;
    }
  }

  async function runNow(statement: Statement, values: readonly (string | null)[]): Promise<TextRow[]> {
    if (closed) throw new PayError('service.unavailable', { dependency: 'database' });
    let client: pg.Client | undefined;
    try {
      client = await getClient();
      const result = await client.query({ ...statement, values: values as string[], rowMode: 'array' });
      return result.rows as unknown as TextRow[];
    } catch (error) {
      // After an error that the server reported, the connection is still usable. After any other error its state is
      // unknown.
      if (error instanceof pg.DatabaseError && !isOutage(error)) throw error;
      if (client) drop(client);
      else hosts.leave();
      throw new PayError('service.unavailable', { dependency: 'database' }, { cause: error });
    }
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    run(statement, values) {
      const next = last.then(() => runNow(statement, values));
      last = next.catch(() => {});
      return next;
    },
    async close() {
      closed = true;
      const client = current ?? (await connecting?.catch(() => undefined));
      current = undefined;
      await client?.end().catch(() => {});
    },
  };
}
