/**
 * `db` is connections, database transactions, batching, idempotency and migrations. It alone writes
 * `idempotency_records` and the migration's own tables (`migrations`, `applied_functions`, `releases`, `role_names`).
 * Called by every room above it.
 *
 * Two types say what a function may do. `Db` runs single statements, each its own database transaction. `Tx` is
 * inside one: a function whose first argument is `tx` has no ports in reach, so no network call can happen while
 * rows are locked.
 */
import pg from 'pg';
import { PayError } from '../core/errors.ts';

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
  readonly applicationName?: string;
  /** What was committed, in order; see `Tx.tell`. */
  readonly onNews?: ((news: readonly News[]) => void) | undefined;
}

const ATTEMPTS = 5;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function openDatabase(url: string, options: DbOptions = {}): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    statement_timeout: statementTimeoutMs,
    // The server ends slow statements itself; this ends the wait for a server that no longer answers.
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: options.applicationName ?? 'florin',
    keepAlive: true,
    types,
  });
  // An idle connection that dies would otherwise end the process; the next query simply opens another.
  pool.on('error', () => {});

  async function once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
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
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  }

  return {
    query: (sql, values) => run(pool, sql, values),
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
    close: () => pool.end(),
  };
}

async function run<Row>(target: pg.Pool | pg.PoolClient, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  try {
    return (await target.query(sql, values as unknown[])).rows as Row[];
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

const OUTAGE_SQLSTATES = [
  '08', // connection exceptions
  '53', // out of connections, memory or disk
  '57P', // shutting down, crashed, starting up
  '57014', // statement timeout
  '58', // I/O errors of the server's own files
  '25006', // a standby that was demoted: read-only
  '28', // credentials being rotated
  '3D000', // database not there (yet)
];

/** Is the database away, full or unreachable, rather than the statement wrong? */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE_SQLSTATES.some((prefix) => error.code?.startsWith(prefix));
  if (!(error instanceof Error)) return false;
  if ('syscall' in error) return true;
  // node-postgres reports these without a code.
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Client has encountered/i.test(
    error.message,
  );
}
