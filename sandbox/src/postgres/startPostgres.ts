import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../ports.ts';
import { isAlive } from '../processes.ts';
import { chooseHome } from './chooseHome.ts';
import { type Binaries, getBinaries } from './findBinaries.ts';
import { initCluster } from './initCluster.ts';
import { adoptPostmaster, findRememberedPort, launchPostmaster, stopPostmaster, urlOf } from './runPostmaster.ts';

export interface RunningPostgres {
  url(database: string): string;
  readonly port: number;
  /** Changes when the server is restarted. */
  readonly pid: number;
  /** It was already running, because its parent was killed. */
  readonly adopted: boolean;
  stop(): Promise<void>;
}

/** Durability stays at PostgreSQL's defaults: `fsync` and `synchronous_commit` on. */
const DEFAULT_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '256MB',
  max_connections: '100',
  max_wal_size: '2GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

/**
 * Starts the PostgreSQL of `dataDir`, or adopts the one that already runs there, and keeps it running until `stop`.
 * Only one caller per folder is allowed: the sandbox takes a lock for this.
 */
export async function startPostgres(options: {
  dataDir: string;
  port?: number;
  log?: (line: string) => void;
  /** Called after a restart: the pid has changed. */
  onRestart?: () => void;
  settings?: Record<string, string>;
  /** Instead of the built-in PostgreSQL: the tests run several versions. */
  binaries?: Binaries;
  /** Additional environment variables for PostgreSQL. */
  env?: Record<string, string>;
}): Promise<RunningPostgres> {
  const settings: Record<string, string> = { ...DEFAULT_SETTINGS, ...options.settings };
  const home = chooseHome(options.dataDir, options.binaries ?? getBinaries());
  await initCluster(home, { durable: settings.fsync !== 'off' });
  const { env = {} } = options;

  const orphan = await adoptPostmaster(home);
  const wanted = options.port ?? findRememberedPort(home);
  let running = orphan ?? (await launchPostmaster(home, { port: await findFreePort(wanted), settings, env }));
  const ending = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: ending.signal }).catch(() => {});

  const supervise = async () => {
    for (let failures = 0; !ending.signal.aborted; ) {
      await pause(200);
      if (ending.signal.aborted || isAlive(running.pid)) continue;
      options.log?.(`PostgreSQL (pid ${running.pid}) ended unexpectedly; restarting it.`);
      try {
        // The same port, because existing connection strings contain it.
        await adoptPostmaster(home);
        running = await launchPostmaster(home, { port: running.port, settings, env });
        failures = 0;
        options.onRestart?.();
      } catch (error) {
        failures++;
        options.log?.(error instanceof Error ? error.message : String(error));
        await pause(Math.min(failures * 1_000, 10_000));
      }
    }
  };
  const supervision = supervise();
  const stop = async () => {
    ending.abort();
    // If it is being restarted, the pid to stop is known only afterwards.
    await supervision;
    await stopPostmaster(home, running.pid);
  };
  let stopped: Promise<void> | undefined;

  return {
    url: (database) => urlOf(home, running.port, database),
    get port() {
      return running.port;
    },
    get pid() {
      return running.pid;
    },
    adopted: orphan !== undefined,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
