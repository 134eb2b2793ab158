/** A durable PostgreSQL of a benchmark. In a short run of all benchmarks they share one server. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { readPostgresCpuSeconds } from './yardsticks/cpuSeconds.ts';

interface BenchDatabase {
  readonly databaseUrl: string;
  /** A connection with the rights of the owner. */
  readonly db: Db;
}

export interface BenchPostgres {
  /** The URL of its own database, `postgres`. */
  readonly url: string;
  /** Creates an empty one; returns its URL. */
  createEmpty(name: string): Promise<string>;
  /** A migrated one. */
  createDatabase(name: string): Promise<BenchDatabase>;
  /** CPU time that the server has used so far. */
  readCpuSeconds(): number;
  /** A folder on its disk. */
  readonly folder: string;
  stop(): Promise<void>;
}

interface Server {
  readonly pid: number;
  readonly folder: string;
  url(database: string): string;
  stop(): Promise<void>;
}

const TEMPLATE = 'migrated';
let shared: Server | undefined;
let users = 0;

/** From now on every benchmark of this process uses this server; the returned function stops it. */
export async function sharePostgres(): Promise<() => Promise<void>> {
  const server = await startServer();
  await runAsAdmin(server, `CREATE DATABASE ${TEMPLATE}`);
  await migrate(server.url(TEMPLATE));
  shared = server;
  return server.stop;
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = shared ?? (await startServer());
  const prefix = shared ? `user${++users}_` : '';
  const opened: Db[] = [];
  const create = async (name: string, like = '') => {
    await runAsAdmin(server, `CREATE DATABASE ${prefix}${name} ${like}`);
    return server.url(prefix + name);
  };
  return {
    url: server.url('postgres'),
    folder: server.folder,
    readCpuSeconds: () => readPostgresCpuSeconds(server.pid),
    createEmpty: (name) => create(name),
    async createDatabase(name) {
      const databaseUrl = await create(name, shared && `TEMPLATE ${TEMPLATE}`);
      if (!shared) await migrate(databaseUrl);
      const db = openDatabase(databaseUrl, { statementTimeoutMs: 3_600_000 });
      opened.push(db);
      return { databaseUrl, db };
    },
    async stop() {
      await Promise.all(opened.map((db) => db.close()));
      if (server !== shared) await server.stop();
    },
  };
}

async function runAsAdmin(server: Server, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server.url('postgres') });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}

async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-bench-'));
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, settings: { max_connections: '300' } });
  return {
    pid: postgres.pid,
    folder,
    url: postgres.url,
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
