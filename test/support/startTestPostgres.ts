/**
 * A throw-away PostgreSQL with a migrated template that every test file copies. It gives up durability (`fsync` off) for
 * speed: its data never outlives the run. `FLORIN_TEST_DATABASE_URL` names a server of your own instead.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { type Logins, liftLimits, runAsAdmin, TEMPLATE } from './database.ts';
import { findPostgres, type Major } from './postgresVersions.ts';

interface TestPostgres {
  /** Of a user who may create databases and roles. */
  readonly url: string;
  readonly logins: Logins;
  stop(): Promise<void>;
}

export async function startTestPostgres(major: Major = 18): Promise<TestPostgres> {
  const given = process.env.FLORIN_TEST_DATABASE_URL;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startThrowAway(major);
  await runAsAdmin(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`, url);
  await runAsAdmin(`CREATE DATABASE ${TEMPLATE}`, url);
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href);
  await liftLimits(template.href);
  const logins: Logins = {
    tester: await createLogin(template.href, { name: 'tester', roles: ['server', 'worker', 'operator'] }),
    server: await createLogin(template.href, { name: 'test_server', roles: ['server'] }),
    worker: await createLogin(template.href, { name: 'test_worker', roles: ['worker'] }),
    operator: await createLogin(template.href, { name: 'test_operator', roles: ['operator'] }),
    reader: await createLogin(template.href, { name: 'test_reader', roles: ['reader'] }),
  };
  return { url, logins, stop };
}

/** For what runs outside vitest, which tells its workers by itself. */
export async function useTestPostgres(): Promise<TestPostgres> {
  const postgres = await startTestPostgres();
  process.env.FLORIN_TEST_DATABASE_URL = postgres.url;
  process.env.FLORIN_TEST_LOGINS = JSON.stringify(postgres.logins);
  return postgres;
}

async function startThrowAway(major: Major): Promise<Omit<TestPostgres, 'logins'>> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-test-'));
  // For root's sake: the account that PostgreSQL then runs under must be able to pass through.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({
    dataDir: folder,
    binaries: findPostgres(major)!,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      shared_buffers: '128MB',
      max_connections: '300',
    },
  });
  const watchdog = startWatchdog(postgres.pid, folder);
  return {
    url: postgres.url('postgres'),
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      watchdog.kill('SIGKILL');
    },
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
