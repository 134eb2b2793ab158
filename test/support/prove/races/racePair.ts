/** All schedules of one pair: B runs at every stop point of A. */
import type { StopPoint } from './openGate.ts';
import type { RaceWorld } from './openWorld.ts';
import { type Point, type Ran, runSchedule } from './runSchedule.ts';

export type Pair = readonly [string, string];

export interface Raced {
  readonly pair: Pair;
  schedules: number;
  /** Schedules in which B waited for A, so A continued. */
  waited: number;
  /**
   * Schedules that were left out because they equal others: B waits at the same point for the same transaction of A.
   */
  skipped: number;
  /** Schedules in which A was stopped, inside a function or before a statement. */
  stopped: number;
  /** Deadlocks, as text: PostgreSQL aborted one of the two, which changed nothing. Its caller may have tried again. */
  readonly deadlocks: string[];
  /** Violations, as text. Empty: some order of both explains everything that happened. */
  readonly violations: string[];
  /** Stop points of functions that A has passed. */
  readonly reached: string[];
}

/** `chooses`: which places of A are tried; by default all. */
export async function racePair(
  world: RaceWorld,
  pair: Pair,
  seed: number,
  chooses: (places: readonly StopPoint[]) => readonly StopPoint[] = (places) => places,
): Promise<Raced> {
  const raced: Raced = {
    pair,
    schedules: 0,
    waited: 0,
    skipped: 0,
    stopped: 0,
    deadlocks: [],
    violations: [],
    reached: [],
  };
  const run = async (point: Point | undefined): Promise<Ran> => {
    const ran = await runSchedule(world, pair, point, seedOf(seed, pair));
    raced.schedules++;
    if (ran.hasWaited) raced.waited++;
    if (ran.stop) raced.stopped++;
    if (ran.deadlocks.length > 0) raced.deadlocks.push(renderRan('DEADLOCK', pair, ran, seed));
    if (ran.violations.length > 0) raced.violations.push(renderRan('VIOLATION', pair, ran, seed));
    return ran;
  };
  // The steps of A before its stop do not depend on B, so one run shows every stop point.
  const { trace } = await run(undefined);
  raced.reached.push(...new Set(trace.flatMap(({ kind, where }) => (kind === 'inside' ? where : []))));
  const places = chooses(trace);
  for (const tx of new Set(places.map((one) => one.tx))) {
    await raceTransaction(
      places.filter((one) => one.tx === tx),
      raced,
      run,
    );
  }
  return raced;
}

/**
 * A keeps its locks until it commits. So once B waits, it also waits at every later point of the same transaction of A,
 * and never further on in its own work. If B waits at the same point of its own work at both ends of a range, all
 * schedules between them are the same.
 */
async function raceTransaction(
  places: readonly StopPoint[],
  raced: Raced,
  run: (point: Point) => Promise<Ran>,
): Promise<void> {
  const between = async (low: number, lowAt: number | undefined, high: number, highAt: number | undefined) => {
    if (high - low <= 1) return;
    if (lowAt === highAt && lowAt !== undefined) {
      raced.skipped += high - low - 1;
      return;
    }
    const middle = Math.floor((low + high) / 2);
    const { waitedAt } = await run(places[middle]!);
    await between(low, lowAt, middle, waitedAt);
    await between(middle, waitedAt, high, highAt);
  };
  for (const [i, place] of places.entries()) {
    const { waitedAt } = await run(place);
    if (waitedAt === undefined) continue;
    const last = places.length - 1;
    if (i < last) await between(i, waitedAt, last, (await run(places[last]!)).waitedAt);
    return;
  }
}

/** Each pair has different amounts. */
const seedOf = (seed: number, pair: Pair): number =>
  [...pair.join()].reduce((mixed, letter) => Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193), seed + 0x811c9dc5);

function renderRan(what: string, pair: Pair, { stop, hasWaited, deadlocks, violations }: Ran, seed: number): string {
  const where = stop
    ? `${pair[0]} stopped before ${stop.where} (${stop.kind} ${stop.nth})`
    : `${pair[1]} after ${pair[0]}`;
  return [
    `${what} ${pair.join(' with ')}: ${where}${hasWaited ? ', the second one waited' : ''}`,
    ...[...deadlocks, ...violations].map((line) => `  ${line}`),
    `  npm run prove -- races --seed ${seed} --pair ${pair.join(',')}`,
  ].join('\n');
}
