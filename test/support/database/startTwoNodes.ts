/** A primary and a standby that follows it by streaming replication, as in a cluster. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../sandbox/src/postgres/startPostgres.ts';
import { findProcessesIn, signalProcess } from '../../../sandbox/src/processes.ts';
import { eventually } from '../eventually.ts';

const SETTINGS = { fsync: 'off', shared_buffers: '32MB', wal_level: 'replica' };

export interface TwoNodes {
  /** Names both hosts, the standby first. */
  url(database: string): string;
  /** Names the standby alone. */
  standbyUrl(database: string): string;
  /** The standby receives everything and replays nothing until it is resumed. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** The standby stops with its connections open; the returned function continues it. */
  freezeStandby(): () => void;
  /** From now on commits wait for the standby. */
  confirmCommits(): Promise<void>;
  killPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  /** Names only the first primary. */
  formerUrl(database: string): string;
  /** The old primary comes back and still considers itself the primary. */
  wakePrimary(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTwoNodes(prepare: (url: (database: string) => string) => Promise<void>): Promise<TwoNodes> {
  const root = mkdtempSync(join(tmpdir(), 'florin-nodes-'));
  chmodSync(root, 0o711);
  const [one, two] = [join(root, 'one'), join(root, 'two')];
  let primary = await startPostgres({ dataDir: one, settings: SETTINGS });
  await run(primary.url('postgres'), 'CREATE DATABASE florin');
  await prepare(primary.url);
  await copy(primary.url('postgres'), one, two);
  const standby = await startPostgres({ dataDir: two, settings: SETTINGS });
  return {
    url(database) {
      const [first, second] = [new URL(standby.url(database)), new URL(primary.url(database))];
      return first.href.replace(first.host, `${first.host},${second.host}`);
    },
    standbyUrl: (database) => standby.url(database),
    async pauseReplay() {
      await run(standby.url('postgres'), 'SELECT pg_wal_replay_pause()');
      const isPaused = async () =>
        (await run(standby.url('postgres'), 'SELECT pg_get_wal_replay_pause_state()')) === 'paused';
      await eventually(async () => {
        if (!(await isPaused())) throw new Error('the standby still replays');
      });
    },
    resumeReplay: () => runOnly(standby.url('postgres'), 'SELECT pg_wal_replay_resume()'),
    freezeStandby() {
      const frozen = findProcessesIn(join(two, 'postgres', 'data'));
      for (const pid of frozen) signalProcess(pid, 'SIGSTOP');
      return () => frozen.forEach((pid) => void signalProcess(pid, 'SIGCONT'));
    },
    async confirmCommits() {
      await run(primary.url('postgres'), `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await run(primary.url('postgres'), 'SELECT pg_reload_conf()');
    },
    async killPrimary() {
      process.kill(primary.pid, 'SIGKILL');
      // Otherwise it would be started again.
      await primary.stop();
    },
    // The new primary has no standby that could confirm.
    promoteStandby: () => runOnly(standby.url('postgres'), 'SELECT pg_promote()'),
    formerUrl: (database) => primary.url(database),
    async wakePrimary() {
      primary = await startPostgres({ dataDir: one, settings: SETTINGS });
    },
    async stop() {
      await standby.stop();
      await primary.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A backup of the running primary, which becomes a standby when it is started. */
async function copy(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('a standby', true)`);
    mkdirSync(to);
    chmodSync(to, 0o711);
    // Files may disappear while they are copied; PostgreSQL expects that of its backups.
    spawnSync('cp', ['-a', join(from, 'postgres'), to]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const data = join(to, 'postgres', 'data');
    const { hostname, port, username, password } = new URL(url);
    const conninfo = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
    rmSync(join(to, 'postgres', 'port'), { force: true });
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeFileSync(join(data, 'backup_label'), rows[0]!.labelfile);
    writeFileSync(join(data, 'standby.signal'), '');
    writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    const written = ['backup_label', 'standby.signal', 'postgresql.auto.conf'].map((name) => join(data, name));
    spawnSync('chown', ['--reference', join(data, 'PG_VERSION'), ...written]);
  } finally {
    await client.end();
  }
}

/** The first value of the result. */
async function run(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
  await client.end();
  return rows[0]?.[0];
}

const runOnly = async (url: string, statement: string): Promise<void> => void (await run(url, statement));
