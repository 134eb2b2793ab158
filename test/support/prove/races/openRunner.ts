/** Runs pairs, in this process or in a separate one. */
import { fileURLToPath } from 'node:url';
import { forkJobs, type Runner as RunnerOf } from '../forkJobs.ts';
import { openWorld, type RaceWorld } from './openWorld.ts';
import { type Pair, type Raced, racePair } from './racePair.ts';

export type Runner = RunnerOf<Pair, Raced>;

/** Rows of earlier scenes stay and slow down later ones. After this many schedules, a new database is cheaper. */
const SCHEDULES_PER_WORLD = 600;

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

export const forkRunner = (seed: number): Runner =>
  forkJobs(fileURLToPath(new URL('runnerProcess.ts', import.meta.url)), [String(seed)]);
