/**
 * PostgreSQL servers with ledgers of several sizes for `bench/growth.ts`, each with its own data folder. The rows of a
 * size are inserted once. With `FLORIN_BENCH_KEEP=FOLDER` the folders stay, and the next run continues with them, and with the
 * payments that were made before.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../sandbox/src/postgres/startPostgres.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { migrate } from '../../../server/src/db/migrate.ts';
import { createPeople } from '../ledgerWorld.ts';
import { sized } from '../short.ts';
import { readPostgresCpuSeconds } from '../yardsticks/cpuSeconds.ts';
import { fillLedger } from './growthRows.ts';

/** While rows are inserted. The measured part is durable. */
const FILLING = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: sized('1GB', '128MB'),
  max_wal_size: '512MB',
  maintenance_work_mem: sized('1GB', '64MB'),
  autovacuum: 'off',
};

export interface Cluster {
  readonly databaseUrl: string;
  readonly db: Db;
  /** Seconds of CPU time that the server has used; NaN where it cannot be known. */
  readCpuSeconds(): number;
  stop(): Promise<void>;
}

export interface Size {
  readonly rows: number;
  readonly people: number;
}

interface Clusters {
  open(size: Size, settings: Record<string, string>): Promise<Cluster>;
  remove(): void;
}

export function prepareClusters(): Clusters {
  const kept = process.env.FLORIN_BENCH_KEEP;
  const root = kept ?? mkdtempSync(join(tmpdir(), 'florin-growth-'));
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o711);

  async function fill(size: Size, folder: string): Promise<void> {
    const unfinished = `${folder}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const cluster = await startCluster(unfinished, FILLING, true);
    await createPeople(cluster.db, size.people);
    await fillLedger(cluster.db, size.rows);
    await cluster.db.query('VACUUM (FREEZE, ANALYZE)');
    await cluster.stop();
    renameSync(unfinished, folder);
  }

  return {
    async open(size, settings) {
      const folder = join(root, `${size.rows}`);
      if (!existsSync(folder)) await fill(size, folder);
      return await startCluster(folder, settings);
    },
    remove() {
      if (kept === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

async function startCluster(folder: string, settings: Record<string, string>, isNew = false): Promise<Cluster> {
  const postgres = await startPostgres({ dataDir: folder, settings });
  const databaseUrl = postgres.url('florin');
  if (isNew) {
    const admin = new pg.Client({ connectionString: postgres.url('postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE florin');
    await admin.end();
    await migrate(databaseUrl);
  }
  const db = openDatabase(databaseUrl, { statementTimeoutMs: 3_600_000 });
  return {
    databaseUrl,
    db,
    readCpuSeconds: () => readPostgresCpuSeconds(postgres.pid),
    async stop() {
      await db.close();
      await postgres.stop();
    },
  };
}
