/** One worker process: it signs, carries, watches, settles and reconciles. Any number may run on one database. */
import { loadConfig } from './config.ts';
import { ConfigError } from './configError.ts';
import { createLogger } from './logger.ts';
import { type RunningWorker, startWorker } from './startWorker.ts';

const GRACE_MS = 10_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  let worker: RunningWorker | undefined;
  let stopping = false;
  async function stop(why: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    // Whatever is cut off here is taken up by the next worker: every step is committed before the next one.
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await worker?.stop();
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
  process.on('disconnect', () => void stop('the supervisor is gone'));

  worker = await startWorker(config, log);
  await worker.prepared;
  log.info({ blockchains: config.chains.map((chain) => chain.blockchain) }, 'ready');
  process.send?.({ type: 'ready' });
}

main().catch((error: Error) => {
  if (!(error instanceof ConfigError)) createLogger('fatal').fatal({ err: error }, 'cannot work');
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
