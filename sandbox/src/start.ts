/** Runs the whole sandbox in the foreground, as one process tree. */
import { StartFault } from './fault.ts';
import { HELP, readOptions } from './readOptions.ts';
import { startSandbox, type Undo } from './startSandbox.ts';
import { createProgress } from './terminal/createProgress.ts';
import { renderBanner } from './terminal/renderBanner.ts';
import { watchParent } from './watchParent.ts';

/** One Ctrl-C arrives twice: the terminal sends it to us and to npm, which passes it on. */
const SAME_KEY_PRESS_MS = 700;

// Includes the time that building and loading took.
const startedAt = performance.timeOrigin;
const undo: Undo[] = [];
const stopping = new AbortController();
let stoppingSince: number | undefined;
let starting: ReturnType<typeof startSandbox> | undefined;

const progress = createProgress(process.stdout, startedAt);

async function stopAll(): Promise<void> {
  for (let last = undo.pop(); last; last = undo.pop()) {
    try {
      await last.stop();
    } catch (error) {
      console.error(`Stopping the ${last.what} failed: ${(error as Error).message}`);
    }
  }
}

function killAll(): never {
  for (const { kill } of undo.toReversed()) {
    try {
      kill?.();
    } catch {
      // Already gone.
    }
  }
  process.exit(1);
}

async function handleSignal(): Promise<void> {
  if (stoppingSince !== undefined) {
    if (Date.now() - stoppingSince > SAME_KEY_PRESS_MS) killAll();
    return;
  }
  stoppingSince = Date.now();
  progress.stop();
  console.log('\nStopping … (press Ctrl-C again to stop immediately)');
  stopping.abort(new StartFault('stopped by the user'));
  // Wait for the current step to end: only then do we know what to stop.
  await starting?.catch(() => {});
  await stopAll();
  console.log('Everything is stopped; the data is kept.');
  process.exit(0);
}

function printFault(error: unknown): void {
  progress.stop();
  if (error instanceof StartFault) console.error(`\n${error.message}`);
  else console.error('\nThe sandbox failed. This is a defect of Florin:', error);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    console.log(HELP);
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void handleSignal());
  // The reader of our output may close the pipe (`npm start | head`); that must not end the sandbox.
  process.stdout.on('error', () => {});
  watchParent(process.env, () => void handleSignal());
  starting = startSandbox(options, undo, { ...progress, stopping: stopping.signal });
  const { state, balances } = await starting;
  if (stoppingSince === undefined) console.log(renderBanner(state, balances, options, Date.now() - startedAt));
}

main().catch(async (error: unknown) => {
  // Stopped during the start: the error is only a consequence.
  if (stoppingSince !== undefined) return;
  stoppingSince = Date.now();
  printFault(error);
  await stopAll();
  process.exit(1);
});
