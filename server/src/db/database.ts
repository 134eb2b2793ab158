/**
 * `db` is connections, database transactions, batching, idempotency and migrations. It alone writes
 * `idempotency_records` and the migration's own tables (`migrations`, `applied_functions`, `releases`, `role_names`).
 * Called by every room above it.
 *
 * Two types say what a function may do. `Db` runs single statements, each its own database transaction. `Tx` is
 * inside one: a function whose first argument is `tx` has no ports in reach, so no network call can happen while
 * rows are locked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PayError } from '../core/errors.ts';
import { HostClient, IsStandby, openHosts } from './hosts.ts';

declare const inTx: unique symbol;

export interface Queryable {
  /** Rows of one statement. `bigint` columns arrive as BigInt, `timestamptz` as Date. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A change that operators want to read about, by names of fields in the log; no personal data. */
export type News = Readonly<Record<string, string>>;

export interface Tx extends Queryable {
  readonly [inTx]: true;
  /** Told to `onNews` after the commit, and never if there is none. What has the same key is told once. */
  tell(key: string, news: News): void;
}

export interface Db extends Queryable {
  /** Runs `work` in one READ COMMITTED transaction; after a deadlock or serialization failure again, a few times. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface DbOptions {
  readonly maxConnections?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  /** How long a call waits for a database that cannot be reached, as during a failover. Default: not at all. */
  readonly patienceMs?: number;
  readonly applicationName?: string;
  /** Operators may look at a standby. Everybody else would take old money for new. */
  readonly mayBeStandby?: boolean;
  /** What was committed, in order; see `Tx.tell`. */
  readonly onNews?: ((news: readonly News[]) => void) | undefined;
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
  /** When a host last refused to write: connections from before may be to a primary that is none any more. */
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const connectedAtMs = new WeakMap<pg.PoolClient, number>();

  function openPool(at: string): pg.Pool {
    const pool = new pg.Pool({
      Client: HostClient,
      connectionString: at,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // The server ends slow statements itself; this ends the wait for a server that no longer answers.
      query_timeout: statementTimeoutMs + 2_000,
      idle_in_transaction_session_timeout: 10_000,
      application_name: options.applicationName ?? 'florin',
      keepAlive: true,
      types,
    });
    // An idle connection that dies would otherwise end the process; the next query simply opens another, perhaps elsewhere.
    pool.on('error', () => hosts.leave());
    pool.on('connect', (client) => {
      connectedAtMs.set(client, performance.now());
      // Also between checking it out and using it.
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

  /** With `patienceMs` again, where nothing can have changed: there was no connection, or the host takes no writes. */
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
      const told = new Map<string, News>();
      const tx = {
        query: (sql, values) => run(client, sql, values),
        tell: (key, news) => void told.set(key, news),
      } as Tx;
      try {
        await client.query('BEGIN');
        const result = await work(tx);
        await client.query('COMMIT');
        if (told.size > 0) options.onNews?.([...told.values()]);
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(spoil);
        throw error;
      }
    });

  return {
    async query(sql, values) {
      try {
        return await withClient((client) => run(client, sql, values));
      } catch (error) {
        throw asPayError(error);
      }
    },
    async tx(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work);
        } catch (error) {
          if (attempt < ATTEMPTS && isConflict(error)) continue;
          throw asPayError(error);
        }
      }
    },
    async close() {
      if (opened) closePool(opened.pool);
      await Promise.all(closing);
    },
  };
}

async function run<Row>(client: pg.PoolClient, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  try {
    return (await client.query(sql, values as unknown[])).rows as Row[];
  } catch (error) {
    throw asPayError(error);
  }
}

/** The constraint that refused a row (unique, check, foreign key, exclusion), or undefined for any other error. */
export function findViolatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');

/** Outages of the database become `service.unavailable`; everything else (constraints, our own bugs) passes through. */
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
  '28', // credentials being rotated
  '3D000', // database not there (yet)
];

/** Waiting does not help: no such login or database, or a pooler that refuses the way we connect. */
const LASTING_SQLSTATES = ['08P01', '28', '3D000'];

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

const isLasting = (error: Error): boolean => LASTING_SQLSTATES.some((prefix) => codeOf(error).startsWith(prefix));

/** Is the database away, full or unreachable, rather than the statement wrong? */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE_SQLSTATES.some((prefix) => error.code?.startsWith(prefix));
  if (!(error instanceof Error)) return false;
  if ('syscall' in error || error instanceof IsStandby) return true;
  // node-postgres reports these without a code.
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Client has encountered/i.test(
    error.message,
  );
}

/** The outage behind an error, which may be wrapped in ours. */
function findOutage(error: unknown): Error | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (isOutage(one) || one instanceof AggregateError) return one;
  }
  return undefined;
}
