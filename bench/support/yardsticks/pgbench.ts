/**
 * The comparison: pgbench's TPC-B-like script, which comes with PostgreSQL, on the same server and settings as the
 * benchmark itself. Debian: `apt-get install postgresql-contrib` (or postgresql-client and -common).
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { isShort, sized } from '../short.ts';

const run = promisify(execFile);
const SCALE = sized(50, 1);

/** Debian keeps these beside its server, not always on the path. */
export function findPostgresProgram(name: 'pgbench' | 'pg_test_fsync'): string {
  const folders = (process.env.PATH ?? '').split(':');
  try {
    for (const version of readdirSync('/usr/lib/postgresql')) folders.push(`/usr/lib/postgresql/${version}/bin`);
  } catch {
    // Not Debian's layout.
  }
  for (const folder of folders) {
    try {
      if (readdirSync(folder).includes(name)) return join(folder, name);
    } catch {
      // A folder on the path that does not exist.
    }
  }
  throw new Error(`${name} is missing, and the results need it for comparison: apt-get install postgresql`);
}

/** Transactions per second. */
export interface PgbenchRates {
  /** With 8 clients: mostly the time in which the disk confirms commits. */
  readonly tps: number;
  /** The best of 8, 32 and 64 clients. */
  readonly best: number;
}

export interface Pgbench {
  /** One run with 8 clients, alone. */
  measure(seconds: number): Promise<number>;
  /** A run with each number of clients, one after the other. */
  compare(seconds: number): Promise<PgbenchRates>;
}

const CLIENTS = [8, 32, 64] as const;

export const meanRates = (...all: readonly PgbenchRates[]): PgbenchRates => ({
  tps: all.reduce((sum, { tps }) => sum + tps, 0) / all.length,
  best: all.reduce((sum, { best }) => sum + best, 0) / all.length,
});

export async function preparePgbench(url: string): Promise<Pgbench> {
  const pgbench = findPostgresProgram('pgbench');
  await run(pgbench, ['-i', '-q', '-s', String(SCALE), url]);

  async function measure(clients: number, seconds: number): Promise<number> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Writes dirty pages now, so that they do not slow the measurement.
    await client.query('CHECKPOINT');
    await client.end();
    const length = isShort ? ['-t', '5'] : ['-T', String(Math.ceil(seconds))];
    const { stdout } = await run(pgbench, ['-M', 'prepared', '-c', String(clients), '-j', '2', ...length, url]);
    const match = /^tps = ([\d.]+)/m.exec(stdout);
    if (!match) throw new Error(`pgbench printed no result:\n${stdout}`);
    console.log(
      `pgbench -M prepared -c ${clients} -j 2 -s ${SCALE}, ${seconds} s: ${Math.round(Number(match[1]))} TPS`,
    );
    return Number(match[1]);
  }

  return {
    measure: (seconds) => measure(CLIENTS[0], seconds),
    async compare(seconds) {
      const rates: number[] = [];
      for (const clients of CLIENTS) rates.push(await measure(clients, seconds));
      return { tps: rates[0]!, best: Math.max(...rates) };
    },
  };
}

/** Prints the settings that make a commit durable, and throws if commits are not. */
export async function printDurability(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names = [
    'server_version',
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'wal_sync_method',
    'shared_buffers',
  ];
  const shown: string[] = [];
  for (const name of names) {
    shown.push(`${name}=${(await client.query(`SELECT current_setting('${name}') AS is`)).rows[0].is}`);
  }
  await client.end();
  console.log(`PostgreSQL: ${shown.join(' ')}`);
  if (!shown.includes('fsync=on') || !shown.includes('synchronous_commit=on')) {
    throw new Error('commits are not durable with these settings');
  }
}
