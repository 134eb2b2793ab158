/**
 * A slice of `npm run prove -- races`: one operation is stopped before each of its statements, also inside the functions of
 * the database, while another one runs; the model says what both may answer and what they may leave.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type RaceWorld } from '../support/prove/races/openWorld.ts';
import { listPairs, OPERATIONS } from '../support/prove/races/operations.ts';
import { type Counts, racePair, renderViolation } from '../support/prove/races/proveRaces.ts';
import { freshSeed, howMany } from '../support/run/thorough.ts';

const SEED = howMany(freshSeed(), 7);
/** `npm test` stops at one point of four, at others in every run. */
const EVERY = howMany(4, 1);

/** Money that fits once, a decision that counts once, and somebody who leaves while money comes. */
const PAIRS: readonly [string, string][] = [
  ['alice_pays_request', 'bob_withdraws'],
  ['refund_of_three', 'refund_of_two'],
  ['zed_closes', 'lena_pays_zed'],
];

describe('races', () => {
  let world: RaceWorld;
  let waited = 0;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it('every function of the database has stop points', () => {
    expect(world.instrumented.left).toEqual([]);
    expect(world.instrumented.functions).toBeGreaterThan(200);
  });

  it.each(PAIRS)('%s with %s: some order of both explains what happens', async (a, b) => {
    const counts: Counts = { pairs: 0, schedules: 0, waited: 0, stopped: 0, violations: 0 };
    const violations = await racePair(world, [a, b], SEED, counts, new Set(), EVERY);
    expect(violations.map((one) => renderViolation(one, SEED))).toEqual([]);
    expect(counts.stopped).toBeGreaterThan(howMany(0, 5));
    waited += counts.waited;
  });

  it('some of them have waited for the other', () => {
    expect(waited).toBeGreaterThan(0);
  });

  it('every operation meets itself', () => {
    const pairs = listPairs();
    for (const name of Object.keys(OPERATIONS)) expect(pairs).toContainEqual([name, name]);
  });
});
