/**
 * A slice of `npm run prove -- races`: one operation is stopped before some of its statements, also inside the functions of
 * the database, while another one runs. The model says what both may answer and what they may leave. Every commit
 * draws other pairs; `FLORIN_TEST_SEED` repeats a seed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StopPoint } from '../support/prove/races/openGate.ts';
import { openWorld, type RaceWorld } from '../support/prove/races/openWorld.ts';
import { listPairs, OPERATIONS } from '../support/prove/races/operations.ts';
import { type Pair, racePair } from '../support/prove/races/racePair.ts';
import { openRandom } from '../support/prove/random.ts';
import { freshSeed, howMany, onePart } from '../support/run/thorough.ts';

const SEED = freshSeed();
const PAIRS = howMany(10, 60);
const PLACES = 2;

/** What the whole table has found once, with where: a random place of such a pair would rarely be the right one. */
const FOUND: readonly (readonly [Pair, string])[] = [
  [['alice_sends', 'alice_logs_out'], 'ledger_hold_many'],
  [['alice_pays_bob', 'alice_logs_out'], 'ledger_pay_batch'],
  [['alice_pays_bob', 'sessions_are_ended'], 'ledger_pay_batch'],
  [['alice_pays_bob', 'thief_refreshes_later'], 'ledger_pay_batch'],
  [['alice_is_rejected', 'refund_of_three'], 'follow_kyc'],
  [['alice_pays_bob_otherwise', 'alice_is_resumed'], 'ledger_pay_batch'],
];

/** Locks without which two operations together do what neither may do. */
const LOCKS: readonly (readonly [string, RegExp, Pair])[] = [
  ['begin_refund', /FOR UPDATE/, ['refund_of_two', 'treasury_refund_is_approved']],
  ['pay_money_requests', /FOR UPDATE/, ['alice_pays_request', 'bob_withdraws']],
];

const inside =
  (name: string) =>
  (places: readonly StopPoint[]): StopPoint[] =>
    places.filter(({ where }) => where.startsWith(`${name} `));

describe(`races, seed ${SEED}`, () => {
  let world: RaceWorld;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it('every function of the database has stop points', () => {
    expect(world.instrumented.left).toEqual([]);
    expect(world.instrumented.functions).toBeGreaterThan(200);
  });

  it('some order of two operations explains what they do together', async () => {
    const random = openRandom(SEED);
    const some = (places: readonly StopPoint[]) => random.shuffle(places).slice(0, PLACES);
    let [stopped, waited] = [0, 0];
    for (const pair of random.shuffle(listPairs()).slice(0, PAIRS)) {
      const raced = await racePair(world, pair, SEED, some);
      expect([...raced.deadlocks, ...raced.violations]).toEqual([]);
      stopped += raced.stopped;
      waited += raced.waited;
    }
    expect(stopped).toBeGreaterThan(PAIRS);
    expect(waited).toBeGreaterThan(0);
  });

  it.each(onePart(FOUND, 2))('%s is right where it once was wrong, in %s', async (pair, name) => {
    const raced = await racePair(world, pair, SEED, inside(name));
    expect([...raced.deadlocks, ...raced.violations]).toEqual([]);
    expect(raced.stopped).toBeGreaterThan(1);
  });

  it.each(LOCKS)('%s without its lock is noticed', async (name, lock, pair) => {
    const undo = await world.instrumented.plant(name, (source) => source.replace(lock, ''));
    const raced = await racePair(world, pair, SEED, inside(name)).finally(undo);
    expect(raced.violations).not.toEqual([]);
  });

  it('every operation meets itself', () => {
    const pairs = listPairs();
    for (const name of Object.keys(OPERATIONS)) expect(pairs).toContainEqual([name, name]);
  });
});
