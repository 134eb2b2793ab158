/** PgBouncer with the configuration of `deploy/ha/`: only addresses, files and TLS are replaced. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { findAccount } from '../../../sandbox/src/postgres/chooseHome.ts';
import { eventually } from '../eventually.ts';
import { exchange, readKit } from '../failover/kit.ts';

export interface Pooler {
  /** The same URL, through the pooler. */
  through(url: string): Promise<string>;
  stop(): Promise<void>;
}

/** Fewer than one server has, so that its statements meet connections on which others have prepared statements. */
const POOL_SIZE = 5;

/** Its path and version, or why it cannot be used. */
export function findPgbouncer(): { readonly path: string; readonly version: string } | string {
  const path = process.env.FLORIN_PGBOUNCER ?? 'pgbouncer';
  const { stdout, status } = spawnSync(path, ['--version'], {
    encoding: 'utf8',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const version = /PgBouncer (\d+)\.(\d+)\S*/.exec(stdout ?? '');
  if (status !== 0 || !version) return 'it is not installed';
  const [, major, minor] = version.map(Number) as [number, number, number];
  if (major === 1 && minor < 21) return `${version[0]} is older than 1.21`;
  return { path, version: version[0] };
}

export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const found = findPgbouncer();
  if (typeof found === 'string') throw new Error(`PgBouncer is not available: ${found}`);
  const account = findAccount();
  const folder = mkdtempSync(join(tmpdir(), 'florin-pooler-'));
  if (account) chownSync(folder, account.uid, account.gid);
  const target = new URL(databaseUrl);
  const [port, users] = [await findFreePort(), join(folder, 'users.txt')];
  const text = exchange(readKit('pgbouncer.ini'), [
    [/^florin = .*$/m, `* = host=${target.hostname} port=${target.port}`],
    [/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1'],
    [/^listen_port = .*$/m, `listen_port = ${port}\nunix_socket_dir =`],
    [/^auth_file = .*$/m, `auth_file = ${users}`],
    [/^default_pool_size = .*$/m, `default_pool_size = ${POOL_SIZE}`],
    [/^server_tls_sslmode = .*$/m, ''],
    [/^server_tls_ca_file = .*$/m, ''],
    [/^client_tls_sslmode = .*$/m, ''],
    [/^client_tls_cert_file = .*$/m, ''],
    [/^client_tls_key_file = .*$/m, ''],
  ]);
  writeFileSync(join(folder, 'pgbouncer.ini'), text);
  writeFileSync(users, '');
  const child = spawn(found.path, ['-q', join(folder, 'pgbouncer.ini')], { ...account, cwd: folder, stdio: 'ignore' });
  // Until it listens, the signal below would end it.
  await eventually(() => tryPort(port));
  const known = new Set<string>();
  return {
    async through(url) {
      const { username, password } = new URL(url);
      known.add(`"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
      writeFileSync(users, [...known].join(''));
      child.kill('SIGHUP');
      const reached = Object.assign(new URL(url), { port: String(port) }).href;
      await eventually(() => tryOut(reached));
      return reached;
    },
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const tryPort = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });

async function tryOut(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await client.end();
}
