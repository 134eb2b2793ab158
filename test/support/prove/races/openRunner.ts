/** Runs pairs, in this process or in a separate one. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openWorld, type RaceWorld } from './openWorld.ts';
import { type Pair, type Raced, racePair } from './racePair.ts';

export interface Runner {
  run(pair: Pair): Promise<Raced>;
  close(): Promise<void>;
}

/** Rows of earlier scenes stay and slow down later ones. After this many schedules, a new database is cheaper. */
const SCHEDULES_PER_WORLD = 3_000;

export async function openRunner(seed: number): Promise<Runner & { readonly world: () => RaceWorld }> {
  let world = await openWorld();
  let schedules = 0;
  return {
    world: () => world,
    async run(pair) {
      if (schedules > SCHEDULES_PER_WORLD) {
        await world.close();
        world = await openWorld();
        schedules = 0;
      }
      const raced = await racePair(world, pair, seed);
      schedules += raced.schedules;
      return raced;
    },
    close: () => world.close(),
  };
}

/** Runs pairs in a separate process, with its own databases in the same PostgreSQL. */
export function forkRunner(seed: number): Runner {
  const child = fork(fileURLToPath(new URL('runnerProcess.ts', import.meta.url)), [String(seed)]);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return {
    run: (pair) =>
      new Promise((done, fail) => {
        const onExit = (code: number | null) => fail(new Error(`a process of races ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (raced) => {
          child.off('exit', onExit);
          done(raced as Raced);
        });
        child.send(pair);
      }),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
