/** `npm start`: the whole sandbox in one process tree, in front of the person who started it. */
import { StartFault } from './fault.ts';
import { HELP, readOptions } from './readOptions.ts';
import { renderBanner } from './renderBanner.ts';
import { type SandboxState, startSandbox, type Undo } from './startSandbox.ts';

/** A terminal sends Ctrl-C to npm as well, and npm passes it on: the same key press arrives twice. */
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
  // A step that is under way ends first: only then is it known what there is to stop.
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
  // Whoever reads our output (`npm start | head`) may stop reading; that is no reason to fall over.
  process.stdout.on('error', () => {});
  print.step('Starting the sandbox');
  starting = startSandbox(options, undo, { ...print, stopping: stopping.signal });
  const state = await starting;
  if (stoppingSince === undefined) console.log(renderBanner(state, options, Date.now() - startedAt));
}

main().catch(async (error: unknown) => {
  // Stopped by hand while it started: things failed because they were being stopped.
  if (stoppingSince !== undefined) return;
  stoppingSince = Date.now();
  tellFault(error);
  await stopAll();
  process.exit(1);
});
