/** The embedded PostgreSQL under faults: killed parents, killed servers, stale files, unusable folders. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { isAlive } from '../processes.ts';
import { removeHome } from './chooseHome.ts';
import { type RunningPostgres, startPostgres } from './startPostgres.ts';

const isRoot = process.getuid?.() === 0;
const settings = { shared_buffers: '16MB', fsync: 'off' };
let folder: string;
let dataDir: string;
const started: RunningPostgres[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-postgres-'));
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: { log?: (line: string) => void } = {}): Promise<RunningPostgres> {
  const running = await startPostgres({ dataDir, settings, ...options });
  started.push(running);
  return running;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts it from a parent that is then killed; returns the pid of the server that stays. */
async function startAndKillParent(): Promise<number> {
  const module = new URL('startPostgres.ts', import.meta.url).href;
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)});
    const running = await startPostgres(${JSON.stringify({ dataDir, settings })});
    console.log(running.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  const pid = await new Promise<number>((resolve, reject) => {
    parent.stdout.once('data', (chunk) => resolve(Number(chunk)));
    parent.once('exit', () => reject(new Error('the parent ended early')));
  });
  parent.kill('SIGKILL');
  await eventually(() => expect(isAlive(parent.pid!)).toBe(false));
  return pid;
}

it('keeps data, password and port across restarts, and never shows the password', async () => {
  const first = await start();
  await query(first.url('postgres'), 'create table kept as select 42 as answer');
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  const second = await start();
  expect(second.url('postgres')).toBe(first.url('postgres'));
  expect(second.adopted).toBe(false);
  expect(await query(second.url('postgres'), 'select answer from kept')).toEqual([{ answer: 42 }]);
  expect(statSync(join(dataDir, 'postgres/password')).mode & 0o777).toBe(0o600);
  const password = new URL(second.url('postgres')).password;
  expect(readFileSync(join(dataDir, 'postgres/postgres.log'), 'utf8')).not.toContain(password);
  const wrong = second.url('postgres').replace(password, 'guess');
  await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
});

it('adopts the server that a killed parent left behind', async () => {
  const orphan = await startAndKillParent();
  const adopted = await start();
  expect(adopted).toMatchObject({ adopted: true, pid: orphan });
  expect(await query(adopted.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
  await adopted.stop();
  expect(isAlive(orphan)).toBe(false);
});

it('replaces an orphan that does not answer', async () => {
  const orphan = await startAndKillParent();
  process.kill(orphan, 'SIGSTOP');
  const replaced = await start();
  expect(replaced.adopted).toBe(false);
  expect(replaced.pid).not.toBe(orphan);
  expect(isAlive(orphan)).toBe(false);
  expect(await query(replaced.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('restarts a killed server on the same port', async () => {
  const lines: string[] = [];
  const running = await start({ log: (line) => lines.push(line) });
  const { pid, port } = running;
  const url = running.url('postgres');
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]));
  await eventually(() => expect(running.pid).not.toBe(pid));
  expect(running.port).toBe(port);
  expect(lines[0]).toContain('restarting it');
});

it('is not fooled by a pid file whose pid now belongs to another program', async () => {
  const first = await start();
  await first.stop();
  const lines = [process.pid, join(dataDir, 'postgres/data'), 1, first.port, '', '127.0.0.1', '0 0', 'ready'];
  writeFileSync(join(dataDir, 'postgres/data/postmaster.pid'), `${lines.join('\n')}\n`);
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await query(second.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('deletes what a kill during initdb left, and creates a complete cluster', async () => {
  mkdirSync(join(dataDir, 'postgres.new-1/data'), { recursive: true });
  await start();
  expect(readdirSync(dataDir)).toEqual(['postgres']);
});

it('takes another port when its own is in use', async () => {
  const first = await start();
  await first.stop();
  const thief = spawn(process.execPath, [
    '-e',
    `require('net').createServer().listen(${first.port}, '127.0.0.1', () => console.log('listening'))`,
  ]);
  try {
    await new Promise((resolve) => thief.stdout.once('data', resolve));
    expect((await start()).port).not.toBe(first.port);
  } finally {
    thief.kill('SIGKILL');
  }
});

it.runIf(isRoot)('works for root even in a folder that only root can enter', async () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  dataDir = join(closed, 'data');
  const running = await start();
  expect(await query(running.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
  const elsewhere = readFileSync(join(dataDir, 'postgres-folder'), 'utf8').trim();
  expect(existsSync(join(elsewhere, 'data/PG_VERSION'))).toBe(true);
  await started.pop()!.stop();
  removeHome(dataDir);
  expect(existsSync(elsewhere)).toBe(false);
});

it.runIf(isRoot && existsSync('/usr/bin/setpriv'))('runs as a normal user', () => {
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  const module = new URL('startPostgres.ts', import.meta.url).href;
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)});
    const running = await startPostgres(${JSON.stringify({ dataDir, settings })});
    console.log(running.adopted);
    await running.stop();`;
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const ran = spawnSync(
    'setpriv',
    [...user, process.execPath, '--import', 'tsx', '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    },
  );
  expect([ran.stdout, ran.stderr]).toEqual(['false\n', '']);
});

it('names the folder that it cannot use', async () => {
  writeFileSync(dataDir, 'a file');
  await expect(start()).rejects.toThrow(`${dataDir} is not a folder`);
});
