/** One server process: both APIs and the operations port. Any number of them may run on one database. */
import { loadConfig } from './config.ts';
import { ConfigError } from './configError.ts';
import { createLogger } from './logger.ts';
import { type RunningServer, startServer } from './startServer.ts';

const GRACE_MS = 10_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  let server: RunningServer | undefined;
  let stopping = false;
  async function stop(why: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await server?.stop();
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
  // What programs that renew certificates send when they are done. By default it would end us.
  process.on('SIGHUP', () => server?.reload());
  // Started by a supervisor: when it is gone, even by kill -9, nobody is left to stop us and the ports must be free.
  // Listened to before anything else is done, because it may be killed while we start.
  process.on('disconnect', () => void stop('the supervisor is gone'));

  server = await startServer(config, log);
  const { urls } = server;
  server.prepared.then(
    () => {
      log.info(urls, 'ready');
      process.send?.({ type: 'ready', ...urls });
    },
    (error: Error) => {
      if (stopping) return;
      log.fatal({ err: error }, 'cannot serve');
      fail(error.message);
    },
  );
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

main().catch((error: NodeJS.ErrnoException) => {
  if (error instanceof ConfigError || error.code === undefined) fail(error.message);
  fail(error.code === 'EADDRINUSE' ? `the port is taken: ${error.message}` : error.message);
});
