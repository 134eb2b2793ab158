/** The process of `forkRunner`: runs the pairs that its parent sends until the parent disconnects. */
import { openRunner } from './openRunner.ts';
import type { Pair } from './racePair.ts';

const runner = await openRunner(Number.parseInt(process.argv[2]!, 10));
let last: Promise<void> = Promise.resolve();
process.on('message', (pair: Pair) => {
  last = last.then(async () => void process.send!(await runner.run(pair)));
  last.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.once('disconnect', () => void last.then(() => runner.close()).then(() => process.exit(0)));
