import { expect, it } from 'vitest';
import { PayError } from '../core/errors.ts';
import { createBatcher } from './createBatcher.ts';

it('settles every command once: with its outcome, alone when it fails, and immediately when the queue is full', async () => {
  const settled: number[] = [];
  let waiting: (() => void) | undefined;
  const batcher = createBatcher<number, string>({
    concurrency: 1,
    maxQueue: 4,
    isConflict: () => false,
    onSettled: (command) => settled.push(command),
    run: async (_, commands) => {
      await new Promise<void>((done) => {
        waiting = done;
        if (commands.length < 4) done();
      });
      if (commands.includes(3)) throw new Error('three cannot run');
      return commands.map((command) => `done ${command}`);
    },
  });
  const outcomes = [1, 2, 3, 4, 5].map((command) =>
    batcher.submit(command).catch((error: Error) => (error instanceof PayError ? error.code : error.message)),
  );
  expect(settled).toEqual([5]);
  await expect.poll(() => waiting).toBeDefined();
  waiting!();
  expect(await Promise.all(outcomes)).toEqual(['done 1', 'done 2', 'three cannot run', 'done 4', 'service.overloaded']);
  expect(settled).toEqual([5, 1, 2, 3, 4]);
});

it('settles commands that wait too long for a database that is down', async () => {
  const settled: number[] = [];
  const batcher = createBatcher<number, string>({
    concurrency: 1,
    giveUpAfterMs: 0,
    isConflict: () => false,
    onSettled: (command) => settled.push(command),
    run: () => Promise.reject(new PayError('service.unavailable', { dependency: 'database' })),
  });
  await expect(Promise.allSettled([batcher.submit(1), batcher.submit(2)])).resolves.toMatchObject([
    { reason: { code: 'service.unavailable' } },
    { reason: { code: 'service.unavailable' } },
  ]);
  expect(settled).toEqual([1, 2]);
});
