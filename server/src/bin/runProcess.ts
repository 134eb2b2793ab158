import type { Logger } from 'pino';
import { type Config, loadConfig } from './config/config.ts';
import { ConfigError } from './config/configError.ts';
import { createLogger } from './logger.ts';

/** What a process runs: a server, or a worker. */
export interface Running {
  /** Settles when it can do its work; rejects when it never can. */
  readonly prepared: Promise<void>;
  /** What a supervisor and the log are told when it can. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Certificates and the like were renewed. */
  reload?(): void;
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;

/** The life of a process, from its configuration to its end; whatever goes wrong on the way is one sentence and exit 1. */
export function runProcess(start: (config: Config, log: Logger) => Promise<Running>): void {
  run(start).catch((error: NodeJS.ErrnoException) => {
    if (!(error instanceof ConfigError)) createLogger('fatal').fatal({ err: error }, 'cannot run');
    process.stderr.write(`${error.code === 'EADDRINUSE' ? 'the port is taken: ' : ''}${error.message}\n`);
    process.exit(1);
  });
}

async function run(start: (config: Config, log: Logger) => Promise<Running>): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  let running: Running | undefined;
  let stopping = false;
  async function stop(why: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    // Whatever is cut off here is taken up by the next process: every step is committed before the next one.
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await running?.stop();
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
  // What programs that renew certificates send when they are done. By default it would end us.
  process.on('SIGHUP', () => running?.reload?.());
  // Started by a supervisor: when it is gone, even by kill -9, nobody is left to stop us and the ports must be free.
  // Listened to before anything else is done, because it may be killed while we start.
  process.on('disconnect', () => void stop('the supervisor is gone'));

  running = await start(config, log);
  try {
    await running.prepared;
  } catch (error) {
    // Whoever is being stopped never gets ready.
    if (stopping) return;
    throw error;
  }
  log.info(running.facts, 'ready');
  process.send?.({ type: 'ready', ...running.facts });
}
