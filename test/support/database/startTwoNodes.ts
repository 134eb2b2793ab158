/** A primary and a standby that follows it by streaming replication, as in a cluster. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../sandbox/src/postgres/startPostgres.ts';
import { findProcessesIn, signalProcess } from '../../../sandbox/src/processes.ts';
import { copyAsStandby, pauseReplay, resumeReplay, runFor } from './standby.ts';

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
  await copyAsStandby(primary.url('postgres'), two);
  const standby = await startPostgres({ dataDir: two, settings: SETTINGS });
  return {
    url(database) {
      const [first, second] = [new URL(standby.url(database)), new URL(primary.url(database))];
      return first.href.replace(first.host, `${first.host},${second.host}`);
    },
    standbyUrl: (database) => standby.url(database),
    pauseReplay: () => pauseReplay(standby.url('postgres')),
    resumeReplay: () => resumeReplay(standby.url('postgres')),
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
    promoteStandby: () => run(standby.url('postgres'), 'SELECT pg_promote()'),
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

async function run(url: string, statement: string): Promise<void> {
  await runFor(url, statement);
}
