/**
 * `db` has connections, database transactions, batching, idempotency and migrations. It alone writes
 * `idempotency_records` and the tables of migrations (`migrations`, `applied_functions`, `releases`,
 * `role_names`). Every module above may call it, except `adapters`.
 *
 * Two types say what a function may do. `Db` runs single statements, each in its own database transaction. `Tx` is
 * inside a transaction: a function whose first argument is `tx` has no access to ports, so no network call can happen
 * while rows are locked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PayError } from '../core/errors.ts';
import { HostClient, IsStandby, openHosts } from './hosts.ts';
import { isDeadlock } from './isConflict.ts';

declare const inTx: unique symbol;

export interface Queryable {
  /** Returns the rows of one statement. `bigint` columns are BigInt, `timestamptz` columns are Date. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The fields of a log line about a committed change. Must not contain personal data. */
export type News = Readonly<Record<string, string>>;

export interface Tx extends Queryable {
  readonly [inTx]: true;
  /**
   * Passes the fields to `onCommitted` after the commit; a transaction that rolls back reports nothing. Calls with the
   * same key are reported once.
   */
  afterCommit(key: string, news: News): void;
}

export interface Db extends Queryable {
  /**
   * Runs `work` in one READ COMMITTED transaction. Repeats it a few times after a deadlock or serialization failure, as
   * `query` does with its statement.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface DbOptions {
  readonly maxConnections?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** How long a call waits for an unreachable database, for example during a failover. Default: no wait. */
  readonly patienceMs?: number;
  readonly applicationName?: string;
  /** Operators may read from a standby. All other readers would mistake old balances for current ones. */
  readonly mayBeStandby?: boolean;
  /** Receives the committed changes in order; see `Tx.afterCommit`. */
  readonly onCommitted?: ((news: readonly News[]) => void) | undefined;
}

const ATTEMPTS = 5;

export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function openDatabase(url: string, options: DbOptions = {}): Db {
  const { statementTimeoutMs = 10_000, connectTimeoutMs = 3_000, patienceMs = 0 } = options;
  const hosts = openHosts(url, connectTimeoutMs);
  let opened: { readonly url: string; readonly pool: pg.Pool } | undefined;
  const closing = new Set<Promise<void>>();
  /** When a host last refused to write. Older connections may lead to a former primary. */
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const connectedAtMs = new WeakMap<pg.PoolClient, number>();

  function openPool(at: string): pg.Pool {
    const pool = new pg.Pool({
      Client: HostClient,
      connectionString: at,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // The server itself ends slow statements. This limit ends the wait for a server that no longer answers.
      query_timeout: statementTimeoutMs + 2_000,
      idle_in_transaction_session_timeout: 10_000,
      application_name: options.applicationName ?? 'florin',
      keepAlive: true,
      types,
    });
    // Without this handler, an idle connection that dies would end the process. The next query simply opens another
    // connection, perhaps to another host.
    pool.on('error', () => hosts.leave());
    pool.on('connect', (client) => {
      connectedAtMs.set(client, performance.now());
      // A connection can also fail between checkout and use.
      client.on('error', () => {});
    });
    return pool;
  }

  function closePool(pool: pg.Pool): void {
    const ending = pool.end().catch(() => {});
    closing.add(ending);
    void ending.then(() => closing.delete(ending));
  }

  async function checkOut(): Promise<pg.PoolClient> {
    for (;;) {
      const at = await hosts.find();
      if (opened?.url !== at) {
        if (opened) closePool(opened.pool);
        opened = { url: at, pool: openPool(at) };
      }
      const client = await opened.pool.connect();
      const ask = () => (client as unknown as HostClient).isAtStandby().catch(() => true);
      const isRefused = !options.mayBeStandby && (await ask());
      if (!isRefused && connectedAtMs.get(client)! >= refusedAtMs) return client;
      client.release(true);
      if (!isRefused) continue;
      hosts.leave();
      if (!hosts.areSeveral) throw new IsStandby(client);
    }
  }

  /**
   * With `patienceMs`, tries again if nothing can have changed: there was no connection, or the host takes no writes.
   */
  async function withClient<T>(work: (client: pg.PoolClient, spoil: (error: Error) => void) => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      let client: pg.PoolClient | undefined;
      let broken: Error | undefined;
      const spoil = (error: Error) => {
        broken = error;
      };
      try {
        client = await checkOut();
        client.on('error', spoil);
        return await work(client, spoil);
      } catch (error) {
        const cause = findOutage(error);
        if (cause) {
          broken ??= cause;
          hosts.leave();
        }
        const isReadOnly = codeOf(cause) === READ_ONLY;
        if (isReadOnly) refusedAtMs = performance.now();
        const mayRepeat = isReadOnly || (!client && cause && !isLasting(cause));
        if (!mayRepeat || performance.now() >= deadlineMs) throw error;
        await sleep(Math.min(20 * 2 ** attempt, 500));
      } finally {
        client?.removeListener('error', spoil);
        client?.release(broken);
      }
    }
  }

  const once = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    withClient(async (client, spoil) => {
      const committed = new Map<string, News>();
      const tx = {
        query: (sql, values) => run(client, sql, values),
        afterCommit: (key, news) => void committed.set(key, news),
      } as Tx;
      try {
        await client.query('BEGIN');
        const result = await work(tx);
        await client.query('COMMIT');
        if (committed.size > 0) options.onCommitted?.([...committed.values()]);
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(spoil);
        throw error;
      }
    });

  return {
    query: (sql, values) => untilNoDeadlock(() => withClient((client) => run(client, sql, values))),
    tx: (work) => untilNoDeadlock(() => once(work)),
    async close() {
      if (opened) closePool(opened.pool);
      await Promise.all(closing);
    },
  };
}

/** Retries after a deadlock: PostgreSQL has rolled back the transaction or the single statement. */
async function untilNoDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < ATTEMPTS && isDeadlock(error)) continue;
      throw asPayError(error);
    }
  }
}

async function run<Row>(client: pg.PoolClient, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  try {
    return (await client.query(sql, values as unknown[])).rows as Row[];
  } catch (error) {
    throw asPayError(error);
  }
}

/**
 * Returns the constraint that refused a row (unique, check, foreign key, exclusion), or undefined for any other error.
 */
export function findViolatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/** Database outages become `service.unavailable`. All other errors (constraints, our own bugs) pass through. */
function asPayError(error: unknown): unknown {
  if (error instanceof PayError || !isOutage(error)) return error;
  return new PayError('service.unavailable', { dependency: 'database' }, { cause: error });
}

const READ_ONLY = '25006';

const OUTAGE_SQLSTATES = [
  '08', // connection exceptions
  '53', // out of connections, memory or disk
  '57P', // shutting down, crashed, starting up
  '57014', // statement timeout
  '58', // I/O errors of the server's own files
  READ_ONLY, // a primary that was demoted
  '28', // credentials are being rotated
  '3D000', // the database does not exist (yet)
];

/** Waiting does not help: the login or the database does not exist, or a pooler refuses our kind of connection. */
const LASTING_SQLSTATES = ['08P01', '28', '3D000'];

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

const isLasting = (error: Error): boolean => LASTING_SQLSTATES.some((prefix) => codeOf(error).startsWith(prefix));

/** Is the database down, full or unreachable, rather than the statement wrong? */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE_SQLSTATES.some((prefix) => error.code?.startsWith(prefix));
  if (!(error instanceof Error)) return false;
  if ('syscall' in error || error instanceof IsStandby) return true;
  // node-postgres reports these without a code.
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Client has encountered/i.test(
    error.message,
  );
}

/** Finds the outage behind an error, which may be wrapped in one of ours. */
function findOutage(error: unknown): Error | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (isOutage(one) || one instanceof AggregateError) return one;
  }
  return undefined;
}
