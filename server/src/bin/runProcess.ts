import type { Logger } from 'pino';
import { ConfigError } from './config/configError.ts';
import { createLogger } from './logger.ts';
import { EXIT } from './program/faults.ts';

/** A running server, worker, signer or console. */
export interface Running {
  /** Resolves when it is ready to work; rejects when it can never be ready. */
  readonly prepared: Promise<void>;
  /** For the supervisor and the log, once it is ready. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Reads the certificates again. */
  reload?(): void;
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;

/**
 * Runs a process from reading its configuration to its end. Faults that prevent a start are printed as a list, with
 * exit code 5; any other failure as one sentence, with exit code 1.
 */
export function runProcess<Config extends { readonly logLevel: string }>(
  load: () => Config | Promise<Config>,
  start: (config: Config, log: Logger) => Promise<Running>,
): undefined {
  run(load, start).catch((error: NodeJS.ErrnoException) => {
    const isConfiguration = error instanceof ConfigError;
    if (!isConfiguration) createLogger('fatal').fatal({ err: error }, 'cannot run');
    process.stderr.write(`${error.code === 'EADDRINUSE' ? 'the port is taken: ' : ''}${error.message}\n`);
    if (isConfiguration) process.stderr.write('florin doctor shows details and how to fix them.\n');
    process.exit(isConfiguration ? EXIT.configuration : EXIT.failed);
  });
}

async function run<Config extends { readonly logLevel: string }>(
  load: () => Config | Promise<Config>,
  start: (config: Config, log: Logger) => Promise<Running>,
): Promise<void> {
  const config = await load();
  const log = createLogger(config.logLevel);
  let running: Running | undefined;
  let stopping = false;
  async function stop(why: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    // The next process continues work that is cut off here: every step is committed before the next one.
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await running?.stop();
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
  // Programs that renew certificates send SIGHUP when they are done. By default it would end the process.
  process.on('SIGHUP', () => running?.reload?.());
  // If the supervisor that started us is gone, even by kill -9, nothing else would stop us and free the ports.
  // Registered first, because the supervisor may be killed while we start.
  process.on('disconnect', () => void stop('the supervisor is gone'));

  running = await start(config, log);
  try {
    await running.prepared;
  } catch (error) {
    // A process that is being stopped does not report that it is ready.
    if (stopping) return;
    throw error;
  }
  log.info(running.facts, 'ready');
  process.send?.({ type: 'ready', ...running.facts });
}
