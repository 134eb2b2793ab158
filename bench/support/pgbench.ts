/**
 * The comparison: pgbench's TPC-B-like script, which comes with PostgreSQL, on the same server and settings as the
 * benchmark itself. Debian: `apt-get install postgresql-contrib` (or postgresql-client and -common).
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { isShort, sized } from './short.ts';

const run = promisify(execFile);
const SCALE = sized(50, 1);

/** Debian keeps it beside its server, not always on the path. */
export function findPgbench(): string {
  const folders = (process.env.PATH ?? '').split(':');
  try {
    for (const version of readdirSync('/usr/lib/postgresql')) folders.push(`/usr/lib/postgresql/${version}/bin`);
  } catch {
    // Not Debian's layout.
  }
  for (const folder of folders) {
    try {
      if (readdirSync(folder).includes('pgbench')) return join(folder, 'pgbench');
    } catch {
      // A folder on the path that does not exist.
    }
  }
  throw new Error('pgbench is missing, and the results need it for comparison: apt-get install postgresql');
}

export interface Pgbench {
  /** Transactions per second of one run, alone. */
  measure(seconds: number): Promise<number>;
}

export async function preparePgbench(url: string): Promise<Pgbench> {
  const pgbench = findPgbench();
  await run(pgbench, ['-i', '-q', '-s', String(SCALE), url]);
  return {
    async measure(seconds) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      // Writes dirty pages now, so that they do not slow the measurement.
      await client.query('CHECKPOINT');
      await client.end();
      const length = isShort ? ['-t', '5'] : ['-T', String(seconds)];
      const { stdout } = await run(pgbench, ['-M', 'prepared', '-c', '8', '-j', '2', ...length, url]);
      const match = /^tps = ([\d.]+)/m.exec(stdout);
      if (!match) throw new Error(`pgbench printed no result:\n${stdout}`);
      console.log(`pgbench -M prepared -c 8 -j 2 -s ${SCALE}, ${seconds} s: ${Math.round(Number(match[1]))} TPS`);
      return Number(match[1]);
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
