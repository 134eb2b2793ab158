/**
 * A temporary PostgreSQL with a migrated template that every test file copies. It is not durable (`fsync` off), for
 * speed: its data is deleted after the run. Set `FLORIN_TEST_DATABASE_URL` to use another server instead.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { type Logins, liftLimits, runAsAdmin, TEMPLATE } from './database.ts';
import { openTesting } from './ledger/openTesting.ts';
import { findPostgres, type Major } from './postgresVersions.ts';

/**
 * Catalogue tables that migrations have changed again and again: without dead rows a copy is smaller. Our own tables
 * stay as they are, because the planner assumes more rows for a table that was never vacuumed than for an empty one.
 */
const CATALOGS = [
  'pg_proc',
  'pg_attribute',
  'pg_class',
  'pg_depend',
  'pg_type',
  'pg_index',
  'pg_constraint',
  'pg_trigger',
];

interface TestPostgres {
  /** A user who may create databases and roles. */
  readonly url: string;
  readonly logins: Logins;
  stop(): Promise<void>;
}

export async function startTestPostgres(major: Major = 18): Promise<TestPostgres> {
  const given = process.env.FLORIN_TEST_DATABASE_URL;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startThrowAway(major);
  return { url, logins: await makeTemplate(url), stop };
}

/** A migrated template and its logins, in the PostgreSQL of this URL. */
async function makeTemplate(url: string): Promise<Logins> {
  await runAsAdmin(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`, url);
  await runAsAdmin(`CREATE DATABASE ${TEMPLATE}`, url);
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href);
  await liftLimits(template.href);
  // Most tests send without a service key, as in a sandbox; tests of the treasury close it.
  await runAsAdmin('UPDATE send_rules SET has_open_treasury = true', template.href);
  const logins = {
    tester: await createLogin(template.href, { name: 'tester', roles: ['server', 'worker', 'signer', 'operator'] }),
    server: await createLogin(template.href, { name: 'test_server', roles: ['server'] }),
    worker: await createLogin(template.href, { name: 'test_worker', roles: ['worker'] }),
    signer: await createLogin(template.href, { name: 'test_signer', roles: ['signer'] }),
    operator: await createLogin(template.href, { name: 'test_operator', roles: ['operator'] }),
    reader: await createLogin(template.href, { name: 'test_reader', roles: ['reader'] }),
    console: await createLogin(template.href, { name: 'test_console', roles: ['console'] }),
    ada: await createLogin(template.href, { name: 'ada', roles: ['operator'] }),
    anna: await createLogin(template.href, { name: 'anna', roles: ['operator'] }),
    mallory: await createLogin(template.href, { name: 'mallory', roles: ['operator'] }),
    rita: await createLogin(template.href, { name: 'rita', roles: ['operator'] }),
    rolf: await createLogin(template.href, { name: 'rolf', roles: ['operator'] }),
    sven: await createLogin(template.href, { name: 'sven', roles: ['operator'] }),
  };
  await runAsAdmin(openTesting(new URL(logins.tester).username), template.href);
  for (const catalog of CATALOGS) await runAsAdmin(`VACUUM (FULL, FREEZE) pg_catalog.${catalog}`, template.href);
  // The first connection writes a cache of the catalogue, and copies then have it: 7 ms instead of 20 for their first.
  await runAsAdmin('SELECT', template.href);
  return logins;
}

/** For programs outside vitest; vitest passes the URL to its workers itself. */
export async function useTestPostgres(): Promise<TestPostgres> {
  const postgres = await startTestPostgres();
  process.env.FLORIN_TEST_DATABASE_URL = postgres.url;
  process.env.FLORIN_TEST_LOGINS = JSON.stringify(postgres.logins);
  return postgres;
}

/** The same with a PostgreSQL that the program has started itself. */
export async function useTestPostgresOf(url: string): Promise<void> {
  process.env.FLORIN_TEST_DATABASE_URL = url;
  process.env.FLORIN_TEST_LOGINS = JSON.stringify(await makeTemplate(url));
}

const MEMORY = '/dev/shm';
/** More than two versions need: the log of each may grow to 256 MB, and few databases exist at a time. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * In memory where there is room: a database is 800 files, and to create and drop them took PostgreSQL 60 ms of processor
 * time in memory and 200 to 400 ms on a disk.
 */
function chooseParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES) return MEMORY;
  } catch {
    // Only Linux has it.
  }
  return tmpdir();
}

async function startThrowAway(major: Major): Promise<Omit<TestPostgres, 'logins'>> {
  const folder = mkdtempSync(join(chooseParent(), 'florin-test-'));
  // If we are root, PostgreSQL runs under another account, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({
    dataDir: folder,
    binaries: findPostgres(major)!,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      // A test runs most statements a few times in a new session, and PostgreSQL would plan each of the first five again:
      // a tenth of the processor time.
      plan_cache_mode: 'force_generic_plan',
      full_page_writes: 'off',
      shared_buffers: '128MB',
      max_wal_size: '256MB',
      max_connections: '300',
      // Connections come by the thousand, and each proves its password.
      ...(major >= 16 && { scram_iterations: '1' }),
    },
  });
  const url = postgres.url('postgres');
  const { username, password } = new URL(url);
  await runAsAdmin(`ALTER ROLE ${username} PASSWORD '${decodeURIComponent(password)}'`, url);
  const watchdog = startWatchdog(folder);
  return {
    url,
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      watchdog.kill('SIGKILL');
    },
  };
}

/**
 * PostgreSQL survives when its parent is killed. In tests it must not: this process waits for our end and cleans up.
 */
export function startWatchdog(folder: string) {
  const script = 'cat >/dev/null; kill -QUIT "$(head -n 1 "$1/postgres/data/postmaster.pid")"; sleep 2; rm -rf "$1"';
  const child = spawn('/bin/sh', ['-c', script, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
