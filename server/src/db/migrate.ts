/**
 * Numbered, forward-only SQL files. Any number of processes may start at once: an advisory lock lets one of them
 * work while the others wait and then find nothing to do. Each file commits together with its row in `migrations`.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../../migrations/', import.meta.url));
/** Any constant will do, as long as nobody else in the database uses it. */
const LOCK_KEY = 7_310_468;

export interface MigrateOptions {
  readonly directory?: string;
  readonly log?: (line: string) => void;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<void> {
  const files = await readMigrations(options.directory ?? MIGRATIONS_DIR);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await client.query(`
      CREATE TABLE IF NOT EXISTS migrations (
        name text PRIMARY KEY,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`);
    const { rows } = await client.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM migrations');
    const applied = new Map(rows.map((row) => [row.name, row.sha256]));
    refuseForeignHistory(files, applied);
    for (const file of files) {
      if (applied.has(file.name)) continue;
      await apply(client, file);
      options.log?.(`migrated ${file.name}`);
    }
  } finally {
    // Closing the session gives the advisory lock back, also when it was never taken.
    await client.end();
  }
}

async function apply(client: pg.Client, file: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(file.sql);
    await client.query('INSERT INTO migrations (name, sha256) VALUES ($1, $2)', [file.name, file.sha256]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** A file that was edited after it ran, or a database newer than this build, must stop the start: data is at stake. */
function refuseForeignHistory(files: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const known = new Map(files.map((file) => [file.name, file.sha256]));
  for (const [name, sha256] of applied) {
    const ours = known.get(name);
    if (ours === undefined) throw new Error(`the database has migration ${name}, which this build does not know`);
    if (ours !== sha256) throw new Error(`migration ${name} was changed after it had been applied`);
  }
}
