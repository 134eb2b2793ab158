import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFolderFault, StartFault } from '../fault.ts';
import { findFreePort } from '../ports.ts';
import { findCommandLine, findProcessesIn, isAlive, signalProcess, waitForExit } from '../processes.ts';
import type { Home } from './chooseHome.ts';
import { binaryOf } from './findBinaries.ts';
import { readPassword, SUPERUSER } from './initCluster.ts';

interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Recovery after a crash reads up to `max_wal_size` of log. */
const READY_TIMEOUT_MS = 120_000;
const LOG_LIMIT_BYTES = 10_000_000;

const dataOf = (home: Home) => join(home.folder, 'data');
const logOf = (home: Home) => join(home.folder, 'postgres.log');

export const urlOf = (home: Home, port: number, database: string): string =>
  `postgres://${SUPERUSER}:${readPassword(home)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;

/** The port of the last start, so that copied URLs still work. */
export function findRememberedPort(home: Home): number | undefined {
  const file = join(home.folder, 'port');
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/**
 * The server that a killed parent left running, if it accepts a login. One that does not is stopped. Processes left by
 * a killed server are waited for, because PostgreSQL refuses to start while they run.
 */
export async function adoptPostmaster(home: Home): Promise<Postmaster | undefined> {
  const found = readPidFile(home);
  if (found && isAlive(found.pid)) {
    if (!isOurs(home, found.pid)) {
      // The pid now belongs to another program. PostgreSQL would take it for a running server and refuse to start.
      rmSync(join(dataOf(home), 'postmaster.pid'), { force: true });
    } else if (await answers(home, found)) {
      return { pid: found.pid, port: found.port };
    } else {
      await stopPostmaster(home, found.pid, 'SIGQUIT');
    }
  }
  await endLeftovers(home);
  return undefined;
}

export async function launchPostmaster(
  home: Home,
  options: { port: number; settings: Record<string, string>; env: Record<string, string> },
): Promise<Postmaster> {
  let port = options.port;
  for (let attempt = 1; ; attempt++) {
    const logged = logSize(home);
    const pid = spawnPostmaster(home, port, options);
    if (await becomesReady(home, pid, port)) {
      writeFileSync(join(home.folder, 'port'), `${port}\n`);
      return { pid, port };
    }
    const said = readFileSync(logOf(home)).subarray(logged).toString('utf8');
    if (attempt >= 20) throw explainFailure(home, said);
    if (/could not bind|Address already in use|could not create any TCP\/IP sockets/.test(said)) {
      port = await findFreePort();
    } else if (/pre-existing shared memory block|lock file .* already exists/.test(said)) {
      await sleep(500);
      await endLeftovers(home);
    } else {
      throw explainFailure(home, said);
    }
  }
}

/** SIGINT rolls back and closes cleanly; SIGQUIT is for a server that does not react to SIGINT. */
export async function stopPostmaster(home: Home, pid: number, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
  const patience = signal === 'SIGINT' ? 20_000 : 2_000;
  if (signalProcess(pid, signal) && !(await waitForExit(pid, patience))) {
    signalProcess(pid, 'SIGKILL');
    await waitForExit(pid, 5_000);
  }
  await endLeftovers(home);
}

async function endLeftovers(home: Home): Promise<void> {
  const data = dataOf(home);
  for (let waitedMs = 0; findProcessesIn(data).length > 0; waitedMs += 100) {
    if (waitedMs >= 3_000) for (const pid of findProcessesIn(data)) signalProcess(pid, 'SIGKILL');
    if (waitedMs >= 10_000) return;
    await sleep(100);
  }
}

function spawnPostmaster(
  home: Home,
  port: number,
  { settings, env }: { settings: Record<string, string>; env: Record<string, string> },
): number {
  const log = openLog(home);
  const options = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  try {
    // A separate session: Ctrl-C in the terminal must not end the database before the API has drained.
    const child = spawn(binaryOf(home.binaries, 'postgres'), ['-D', dataOf(home), ...options], {
      ...home.account,
      cwd: dataOf(home),
      detached: true,
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH, ...env },
      stdio: ['ignore', log, log],
    });
    child.on('error', () => {});
    child.unref();
    // Without a pid nothing was started; pid 0 would be our own process group.
    if (!child.pid) throw new Error('PostgreSQL could not be spawned');
    return child.pid;
  } finally {
    closeSync(log);
  }
}

function openLog(home: Home): number {
  const log = logOf(home);
  try {
    if (logSize(home) > LOG_LIMIT_BYTES) renameSync(log, `${log}.1`);
    return openSync(log, 'a', 0o600);
  } catch (error) {
    throw findFolderFault(error, home.folder) ?? error;
  }
}

const logSize = (home: Home): number => (existsSync(logOf(home)) ? statSync(logOf(home)).size : 0);

async function becomesReady(home: Home, pid: number, port: number): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < deadline) {
    const found = readPidFile(home);
    if (found?.pid === pid && found.ready && (await login(home, port)) === 'ok') return true;
    await sleep(20);
  }
  if (isAlive(pid)) await stopPostmaster(home, pid, 'SIGQUIT');
  return false;
}

function explainFailure(home: Home, said: string): Error {
  const fault = findFolderFault(said, home.folder);
  if (fault) return fault;
  const reason = said.split('\n').findLast((line) => /FATAL|PANIC|error/.test(line)) ?? 'it printed no error';
  return new StartFault(`PostgreSQL did not start: ${reason.trim()}. Full log: ${logOf(home)}`);
}

interface PidFile extends Postmaster {
  readonly ready: boolean;
}

function readPidFile(home: Home): PidFile | undefined {
  try {
    const lines = readFileSync(join(dataOf(home), 'postmaster.pid'), 'utf8').split('\n');
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return pid > 0 && port > 0 ? { pid, port, ready: lines[7]?.trim() === 'ready' } : undefined;
  } catch {
    return undefined;
  }
}

function isOurs(home: Home, pid: number): boolean {
  const [program = '', ...args] = (findCommandLine(pid) ?? '').split(' ');
  return basename(program) === 'postgres' && args.join(' ').startsWith(`-D ${dataOf(home)} `);
}

/** Waits while the server says that it is starting up or shutting down. */
async function answers(home: Home, { pid, port }: Postmaster): Promise<boolean> {
  for (let silent = 0; isAlive(pid) && silent < 2; ) {
    const answer = await login(home, port);
    if (answer === 'ok') return true;
    if (answer === 'silent') silent++;
    await sleep(200);
  }
  return false;
}

async function login(home: Home, port: number): Promise<'ok' | 'busy' | 'silent'> {
  const client = new pg.Client({
    connectionString: urlOf(home, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code === '57P03' ? 'busy' : 'silent';
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(500)]);
  }
}
