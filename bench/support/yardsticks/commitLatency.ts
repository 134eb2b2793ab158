/** How long the disk takes to confirm a commit, by PostgreSQL's own `pg_test_fsync`. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sized } from '../short.ts';
import { findPostgresProgram } from './pgbench.ts';

/** Milliseconds per synchronized write of one page, in a folder on the disk of the data, as Linux's default method does it. */
export async function measureCommitMs(folder: string): Promise<number> {
  const file = join(folder, 'pg_test_fsync.tmp');
  const child = spawn(findPostgresProgram('pg_test_fsync'), ['-s', String(sized(3, 1)), '-f', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      // The first of several lines: one page of 8 kB.
      const micros = /^\s*fdatasync\s.*?(\d+) usecs\/op/.exec(line)?.[1];
      if (micros === undefined) continue;
      console.log(`pg_test_fsync: a commit takes ${Number(micros) / 1_000} ms on this disk`);
      return Number(micros) / 1_000;
    }
    throw new Error('pg_test_fsync printed no line for fdatasync');
  } finally {
    child.kill();
    rmSync(file, { force: true });
  }
}
