/** Runs `npm run prove -- races`: every pair of the table, with A stopped before each of its statements. */
import { openRandom } from '../random.ts';
import { proveMutants } from './mutants/proveMutants.ts';
import { forkRunner, openRunner, type Runner } from './openRunner.ts';
import { listPairs, OPERATIONS } from './operations.ts';
import type { Pair, Raced } from './racePair.ts';
import { openResults } from './results.ts';

interface Options {
  readonly seed: number;
  /** The time limit. After it, no further pair starts. */
  readonly minutes: number;
  /** Continues where the last run with this seed was stopped. */
  readonly resume: boolean;
  /** Processes that run pairs side by side. */
  readonly workers: number;
  /** Instead drops locks of functions, one at a time, and reports which pair notices. */
  readonly mutants: boolean;
  /** Names of functions whose locks are dropped; empty: all. */
  readonly only: readonly string[];
  /** `A,B`, or `A` for every pair with it; undefined: all. */
  readonly pair?: string | undefined;
}

type Log = (line: string) => void;

function choosePairs(seed: number, pair: string | undefined): Pair[] {
  const wanted = pair?.split(',') ?? [];
  const unknown = wanted.filter((name) => !(name in OPERATIONS));
  if (unknown.length > 0 || wanted.length > 2) {
    throw new Error(`--pair names one or two of: ${Object.keys(OPERATIONS).join(' ')}`);
  }
  if (wanted.length === 2) return [[wanted[0]!, wanted[1]!]];
  const all = listPairs().filter((some) => wanted.length === 0 || some.includes(wanted[0]!));
  return openRandom(seed).shuffle(all);
}

export async function proveRaces(options: Options, log: Log) {
  const begunMs = performance.now();
  const isOver = () => performance.now() - begunMs > options.minutes * 60_000;
  if (options.mutants) return proveMutants(options, isOver, log);
  const { seed, pair, resume, workers } = options;
  const results = openResults(seed, resume);
  const pairs = choosePairs(seed, pair);
  const wanted = new Set(pairs.map((one) => one.join()));
  const done = results.before.filter((one) => wanted.has(one.pair.join()));
  const known = new Set(done.map((one) => one.pair.join()));
  const todo = pairs.filter((one) => !known.has(one.join()));
  const earlier = done.reduce((sum, one) => sum + one.schedules, 0);
  log(`${todo.length} of ${pairs.length} pairs to run; results are kept in ${results.path}`);

  const own = await openRunner(seed);
  const { functions, stopPoints, inert, left } = own.world().instrumented;
  log(`${functions} functions have ${stopPoints} stop points; without any: ${left.join(', ') || 'none'}`);
  const runners: Runner[] = [own, ...Array.from({ length: workers - 1 }, () => forkRunner(seed))];
  const goOn = async (runner: Runner): Promise<void> => {
    for (let next = todo.shift(); next; next = todo.shift()) {
      if (isOver()) {
        todo.unshift(next);
        return;
      }
      const raced = await runner.run(next);
      results.add(raced);
      done.push(raced);
      for (const text of [...raced.deadlocks, ...raced.violations]) log(text);
      if (done.length % 20 === 0) log(renderProgress(done, pairs.length));
    }
  };
  try {
    await Promise.all(runners.map(goOn));
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
  const total = sum(done);
  const seconds = Math.round((performance.now() - begunMs) / 1_000);
  return {
    prove: 'races',
    seed,
    operations: Object.keys(OPERATIONS).length,
    pairs: pairs.length,
    pairs_done: done.length,
    pairs_left: pairs.length - done.length,
    ...total,
    seconds,
    ms_per_schedule: Math.round((seconds * 1_000 * workers) / Math.max(1, total.schedules - earlier)),
    stop_points_reached: new Set(done.flatMap((one) => one.reached)).size,
    stop_points: stopPoints,
    statements_that_touch_nothing: inert,
    functions_instrumented: functions,
    functions_left_out: left.length,
    faults: total.violations + total.deadlocks,
  };
}

const sum = (all: readonly Raced[]) => {
  const of = (count: (one: Raced) => number) => all.reduce((total, one) => total + count(one), 0);
  return {
    schedules: of((one) => one.schedules),
    waited: of((one) => one.waited),
    skipped: of((one) => one.skipped),
    stopped: of((one) => one.stopped),
    deadlocks: of((one) => one.deadlocks.length),
    violations: of((one) => one.violations.length),
  };
};

function renderProgress(done: readonly Raced[], pairs: number): string {
  const { schedules, waited, deadlocks, violations } = sum(done);
  const found = `${deadlocks} deadlocks, ${violations} violations`;
  return `${done.length} of ${pairs} pairs, ${schedules} schedules, ${waited} waited, ${found}`;
}
