/** The process of `forkRunner`: runs the seeds that its parent sends until the parent disconnects. */
import { openRunner } from './openRunner.ts';

const runner = await openRunner();
let last: Promise<void> = Promise.resolve();
process.on('message', (seed: number) => {
  last = last.then(async () => void process.send!(await runner.run(seed)));
  last.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.once('disconnect', () => void last.then(() => runner.close()).then(() => process.exit(0)));
