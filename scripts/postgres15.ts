/**
 * Some tests also run on PostgreSQL 15, the oldest that Florin supports. `npm test` runs this first: it finds Debian's,
 * installs it if it may, and otherwise reports that those tests are skipped. A missing version never fails a test run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { findPostgres } from '../test/support/postgresVersions.ts';
import { readCommandLine } from './readCommandLine.ts';

readCommandLine('npm test');

const INSTALL_TIMEOUT_MS = 240_000;
const CLUSTERS = '/etc/postgresql-common/createcluster.conf';

function install(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.log('Installing PostgreSQL 15 for the tests …');
  if (!existsSync(CLUSTERS)) {
    // Only the programs are needed; by default Debian would also create a cluster and start it.
    mkdirSync('/etc/postgresql-common', { recursive: true });
    writeFileSync(CLUSTERS, 'create_main_cluster = false\n');
  }
  const deadline = Date.now() + INSTALL_TIMEOUT_MS;
  return [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'postgresql-15'],
  ].every((args) => {
    const timeout = Math.max(1, deadline - Date.now());
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync('apt-get', args, { stdio: 'ignore', timeout, env }).status === 0;
  });
}

const found = findPostgres(15) ?? (install() ? findPostgres(15) : undefined);
console.log(
  found ? `PostgreSQL 15: ${found.folder}` : 'No PostgreSQL 15: its tests are skipped (Debian: postgresql-15).',
);
