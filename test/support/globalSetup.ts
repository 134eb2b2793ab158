/**
 * One throw-away PostgreSQL for a whole test run, with a migrated template that every test file copies. It gives up
 * durability (`fsync` off) for speed: its data never outlives the run. `FLORIN_TEST_DATABASE_URL` names a server of
 * your own instead.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { getAdminUrl, liftLimits, runAsAdmin, TEMPLATE } from './database.ts';

export default async function globalSetup(): Promise<() => Promise<void>> {
  const stop = process.env.FLORIN_TEST_DATABASE_URL ? async () => {} : await startThrowAway();
  await runAsAdmin(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
  await runAsAdmin(`CREATE DATABASE ${TEMPLATE}`);
  const template = new URL(getAdminUrl());
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href);
  await liftLimits(template.href);
  return stop;
}

async function startThrowAway(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-test-'));
  // For root's sake: the account that PostgreSQL then runs under must be able to pass through.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({
    dataDir: folder,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      shared_buffers: '128MB',
      max_connections: '300',
    },
  });
  const watchdog = startWatchdog(postgres.pid, folder);
  process.env.FLORIN_TEST_DATABASE_URL = postgres.url('postgres');
  return async () => {
    delete process.env.FLORIN_TEST_DATABASE_URL;
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
    watchdog.kill('SIGKILL');
  };
}

/** PostgreSQL outlives a killed parent by design. Here that would be litter: this waits for our end and cleans up. */
function startWatchdog(pid: number, folder: string) {
  const script = 'cat >/dev/null; kill -QUIT "$1"; sleep 2; rm -rf "$2"';
  const child = spawn('/bin/sh', ['-c', script, 'sh', String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
