import { expect, it } from 'vitest';
import { createBatcher } from './createBatcher.ts';

/** Batches of this many, of which each set of commands cannot run. */
const LARGEST = 6;

/** Long after everything that needs no input has happened. */
async function manyTurns(): Promise<string> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  return 'no answer';
}

it('answers every command of a batch, whichever of them cannot run', async () => {
  for (let size = 1; size <= LARGEST; size++)
    for (let bad = 0; bad < 2 ** size; bad++) {
      const cannotRun = (command: number) => (bad & (1 << command)) !== 0;
      const settled: number[] = [];
      const batcher = createBatcher<number, string>({
        concurrency: 1,
        isConflict: () => false,
        onSettled: (command) => settled.push(command),
        async run(_, commands) {
          if (commands.some(cannotRun)) throw new Error('one cannot run');
          return commands.map((command) => `done ${command}`);
        },
      });
      const commands = Array.from({ length: size }, (_, i) => i);
      const outcomes = commands.map((command) => batcher.submit(command).catch((error: Error) => error.message));
      const late = manyTurns();
      const answers = await Promise.all(outcomes.map((answer) => Promise.race([answer, late])));
      expect(answers).toEqual(commands.map((command) => (cannotRun(command) ? 'one cannot run' : `done ${command}`)));
      expect(settled).toEqual(commands);
    }
});
