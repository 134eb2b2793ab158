/** A slice of `npm run prove -- world`: other seeds with every commit, and those that have found bugs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEPT_SEEDS } from '../support/prove/world/keptSeeds.ts';
import { openStage, type WorldStage } from '../support/prove/world/openStage.ts';
import { runSeed } from '../support/prove/world/runSeed.ts';
import { freshSeed, howMany } from '../support/run/thorough.ts';

const PATIENCE_MS = 300_000;
let stage: WorldStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const seeds = [
  ...Array.from({ length: howMany(2, 10) }, (_, i) => (freshSeed() + i) % 1_000_000_000),
  ...howMany([], Object.keys(KEPT_SEEDS).map(Number)),
];

it.each(seeds)(
  'a service to which seed %i happens does what the model says',
  async (seed) => {
    const { faults, story } = await runSeed(stage, seed);
    expect(faults, story.join('\n')).toEqual([]);
  },
  PATIENCE_MS,
);
