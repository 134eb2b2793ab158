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

/** Batches that end when the test says so. */
function openHeldBatches(spreadFrom: number) {
  const begun: { readonly slot: number; readonly commands: readonly number[]; end(): void }[] = [];
  const batcher = createBatcher<number, number>({
    concurrency: 2,
    spreadFrom,
    isConflict: () => false,
    run: (slot, commands) =>
      new Promise((resolve) => begun.push({ slot, commands, end: () => resolve([...commands]) })),
  });
  return { begun, batcher };
}

const oneTurn = () => new Promise((resolve) => setImmediate(resolve));

it('uses a second connection when enough commands wait for it', async () => {
  const { begun, batcher } = openHeldBatches(3);
  const answers = [batcher.submit(1)];
  await oneTurn();
  answers.push(batcher.submit(2), batcher.submit(3));
  await oneTurn();
  expect(begun.map(({ commands }) => commands)).toEqual([[1]]);
  answers.push(batcher.submit(4));
  await oneTurn();
  expect(begun.map(({ slot }) => slot).toSorted()).toEqual([0, 1]);
  for (let ended = 0; ended < begun.length; ended++) {
    begun[ended]!.end();
    await expect.poll(() => begun.flatMap(({ commands }) => commands).length).toBe(4);
  }
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4]);
  await batcher.close();
});

it('does not wait for a batch that hangs, and takes what waits when a batch ends', async () => {
  const { begun, batcher } = openHeldBatches(3);
  const first = batcher.submit(1);
  await oneTurn();
  const second = batcher.submit(2);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]!.end();
  expect(await second).toBe(2);
  const third = batcher.submit(3);
  await oneTurn();
  begun[0]!.end();
  expect(await first).toBe(1);
  await expect.poll(() => begun.length).toBe(3);
  begun[2]!.end();
  expect(await third).toBe(3);
  await batcher.close();
});
