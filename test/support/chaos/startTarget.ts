/**
 * The service as production runs it: two servers, two workers and a signer, compiled, on a durable PostgreSQL and a
 * local chain. A link that can be disturbed lies between each process and PostgreSQL, each process and the node, and
 * the clients and each server.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileServer, findServer } from '../../../bench/support/startBuiltServer.ts';
import { readPostgresCpuSeconds } from '../../../bench/support/yardsticks/cpuSeconds.ts';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { type RunningPostgres, startPostgres } from '../../../sandbox/src/postgres/startPostgres.ts';
import { findProcessesIn, isAlive, signalProcess, waitForExit } from '../../../sandbox/src/processes.ts';
import { startWatchdog } from '../startTestPostgres.ts';
import { chainsAt, type Fleet, openFleet, type Program } from '../upgrade/fleet.ts';
import type { Release } from '../upgrade/previousRelease.ts';
import type { Server } from './clients.ts';
import { type KeptProcess, keepRunning } from './keepRunning.ts';
import { type Link, openLink } from './openLink.ts';

const PROCESSES: readonly (readonly [string, Program])[] = [
  ['signer', 'signer'],
  ['server 1', 'server'],
  ['server 2', 'server'],
  ['worker 1', 'worker'],
  ['worker 2', 'worker'],
];
const BLOCK_EVERY_MS = 1_000;
const DEATH_MS = 10_000;

export interface Target {
  readonly fleet: Fleet;
  readonly processes: readonly KeptProcess[];
  readonly servers: readonly Server[];
  /** By the names of their two ends. */
  readonly links: ReadonlyMap<string, readonly Link[]>;
  /**
   * `stopped`: an immediate shutdown. `backend`: kill -9 of one of its processes, after which PostgreSQL ends all others
   * and recovers. Resolves when no process of before is left.
   */
  killPostgres(how: 'stopped' | 'backend'): Promise<void>;
  /** Of all PostgreSQL processes so far. */
  readPostgresCpu(): number;
  /** Ends the service. */
  stop(): Promise<void>;
}

/** Compiled as `npm run build` compiles it. */
async function compile(): Promise<Release> {
  await compileServer();
  const { file, execArgv } = findServer();
  return {
    version: 'this build',
    hasSigner: true,
    argumentsOf: (program) => [...execArgv, file, program === 'keys' ? 'key' : program],
    remove: () => {},
  };
}

export async function startTarget(): Promise<Target> {
  const build = await compile();
  const folder = mkdtempSync(join(tmpdir(), 'florin-chaos-'));
  // If we are root, PostgreSQL runs under another account, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, settings: { max_connections: '300' } });
  const watchdog = startWatchdog(folder);
  process.env.FLORIN_TEST_DATABASE_URL = postgres.url('postgres');
  const fleet = await openFleet(build);
  const links = new Map<string, Link[]>();
  const processes: KeptProcess[] = [];
  const servers: Server[] = [];
  const link = async (ends: string, target: string): Promise<string> => {
    const made = await openLink(target);
    links.set(ends, [...(links.get(ends) ?? []), made]);
    return made.url;
  };
  for (const [name, program] of PROCESSES) {
    const [backend, web3] = [await findFreePort(), await findFreePort()];
    const env = {
      DATABASE_URL: await link(`${name} and PostgreSQL`, fleet.urlOf(program)),
      FLORIN_CHAINS: chainsAt(await link(`${name} and the node`, fleet.nodeUrl)),
      // The same after a restart.
      ...(program === 'server' && { FLORIN_BACKEND_PORT: String(backend), FLORIN_WEB3_PORT: String(web3) }),
      FLORIN_LOG_LEVEL: 'error',
    };
    processes.push(await keepRunning(name, () => fleet.start('old', program, env)));
    if (program !== 'server') continue;
    const linked = (port: number) => link(`clients and ${name}`, `http://127.0.0.1:${port}`);
    servers.push({ name, backendUrl: await linkedUrl(linked(backend)), web3Url: await linkedUrl(linked(web3)) });
  }
  let postgresCpu = 0;
  const mining = setInterval(() => void fleet.chain.mine().catch(() => {}), BLOCK_EVERY_MS);
  return {
    fleet,
    processes,
    servers,
    links,
    readPostgresCpu: () => postgresCpu + readPostgresCpuSeconds(postgres.pid),
    killPostgres(how) {
      if (how === 'stopped') postgresCpu += readPostgresCpuSeconds(postgres.pid);
      return killPostgres(postgres, join(folder, 'postgres', 'data'), how);
    },
    async stop() {
      clearInterval(mining);
      for (const process of processes) process.release();
      await fleet.stop();
      await Promise.all([...links.values()].flat().map((one) => one.remove()));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      watchdog.kill('SIGKILL');
    },
  };
}

/** Without the slash that a URL object adds. */
const linkedUrl = async (url: Promise<string>): Promise<string> => (await url).replace(/\/$/, '');

async function killPostgres(postgres: RunningPostgres, data: string, how: 'stopped' | 'backend'): Promise<void> {
  const { pid } = postgres;
  const others = findProcessesIn(data).filter((one) => one !== pid);
  if (how === 'stopped') signalProcess(pid, 'SIGQUIT');
  else signalProcess(others[Math.floor(Math.random() * others.length)]!, 'SIGKILL');
  const gone = how === 'stopped' ? [pid, ...others] : others;
  await Promise.all(gone.map((one) => waitForExit(one, DEATH_MS)));
  const left = gone.filter(isAlive);
  if (left.length > 0) throw new Error(`PostgreSQL still has ${left.length} processes of before`);
}
