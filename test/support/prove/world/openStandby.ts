/** The standby of the PostgreSQL in which seeds run. Servers read from it, and it may lag. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../../sandbox/src/postgres/startPostgres.ts';
import { copyAsStandby, pauseReplay, resumeReplay, runFor, waitForStandby } from '../../database/standby.ts';
import { urlAs } from '../../database.ts';
import { startWatchdog } from '../../startTestPostgres.ts';

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  // At least as many as at the primary.
  max_connections: '300',
};

/** Once for all standbys of the PostgreSQL. */
export async function prepareForStandbys(primaryUrl: string): Promise<void> {
  // A server checks which timeline the standby follows.
  const { username } = new URL(urlAs(primaryUrl, 'server'));
  await runFor(primaryUrl, `GRANT pg_read_all_stats TO ${username}`);
  // Without it, commits reach standbys a fifth of a second later, and every read goes to the primary.
  await runFor(primaryUrl, 'ALTER ROLE ALL SET synchronous_commit = on');
  // Each new database makes a checkpoint, which removes the log that a standby without a connection still needs.
  await runFor(primaryUrl, `ALTER SYSTEM SET wal_keep_size = '1GB'`);
  await runFor(primaryUrl, 'SELECT pg_reload_conf()');
}

export type WorldStandby = Awaited<ReturnType<typeof openStandby>>;

export async function openStandby(primaryUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'florin-standby-'));
  chmodSync(folder, 0o711);
  await copyAsStandby(primaryUrl, folder);
  const standby = await startPostgres({ dataDir: folder, settings: SETTINGS });
  const watchdog = startWatchdog(folder);
  const adminUrl = standby.url('postgres');
  return {
    /** The same database and login at the standby. */
    urlOf(databaseUrl: string): string {
      const url = new URL(databaseUrl);
      url.host = new URL(adminUrl).host;
      return url.href;
    },
    catchUp: () =>
      waitForStandby(primaryUrl, adminUrl).catch((error: Error) => {
        const log = readFileSync(join(folder, 'postgres', 'postgres.log'), 'utf8')
          .split('\n')
          .slice(-30)
          .join('\n');
        throw new Error(`${error.message}\n${log}`, { cause: error });
      }),
    pause: () => pauseReplay(adminUrl),
    resume: () => resumeReplay(adminUrl),
    async stop(): Promise<void> {
      await standby.stop();
      rmSync(folder, { recursive: true, force: true });
      watchdog.kill('SIGKILL');
    },
  };
}
