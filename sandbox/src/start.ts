/** `npm start`: runs the whole sandbox in the foreground, as one process tree. */
import { StartFault } from './fault.ts';
import { HELP, readOptions } from './readOptions.ts';
import { renderBanner } from './renderBanner.ts';
import { type SandboxState, startSandbox, type Undo } from './startSandbox.ts';

/** One Ctrl-C arrives twice: the terminal sends it to us and to npm, which passes it on. */
const SAME_KEY_PRESS_MS = 700;

const startedAt = Date.now();
const undo: Undo[] = [];
const stopping = new AbortController();
let stoppingSince: number | undefined;
let starting: Promise<SandboxState> | undefined;

const print = {
  step: (line: string) => console.log(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${line}`),
  note: (line: string) => console.log(line),
};

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
      // Gone already.
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
  console.log('\nStopping … (Ctrl-C again does not wait)');
  stopping.abort(new StartFault('stopped by hand'));
  // Wait for the current step to end: only then do we know what to stop.
  await starting?.catch(() => {});
  await stopAll();
  console.log('Everything is stopped; the data is kept.');
  process.exit(0);
}

function tellFault(error: unknown): void {
  if (error instanceof StartFault) console.error(`\n${error.message}`);
  else console.error('\nThe sandbox failed for a reason of its own. This is a defect:', error);
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
  print.step('Starting the sandbox');
  starting = startSandbox(options, undo, { ...print, stopping: stopping.signal });
  const state = await starting;
  if (stoppingSince === undefined) console.log(renderBanner(state, options, Date.now() - startedAt));
}

main().catch(async (error: unknown) => {
  // Stopped while it was starting: the error is only a result of that.
  if (stoppingSince !== undefined) return;
  stoppingSince = Date.now();
  tellFault(error);
  await stopAll();
  process.exit(1);
});
