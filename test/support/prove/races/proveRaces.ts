/** What `npm run prove -- races` does: every pair of the table, A stopped before each of its statements. */
import { openRandom } from '../random.ts';
import { openWorld, type RaceWorld } from './openWorld.ts';
import { listPairs, OPERATIONS } from './operations.ts';
import { type Point, type Ran, runSchedule } from './runSchedule.ts';

interface Options {
  readonly seed: number;
  /** `A,B`, or `A` for every pair with it; undefined: all. */
  readonly pair?: string | undefined;
}

type Log = (line: string) => void;

export interface Counts {
  pairs: number;
  schedules: number;
  /** B waited for A. */
  waited: number;
  /** A was stopped, inside a function or before a statement. */
  stopped: number;
  violations: number;
}

interface Violation {
  readonly pair: readonly [string, string];
  readonly point: Point;
  readonly ran: Ran;
}

const MAX_POINTS = 500;

/** All schedules of one pair: before each statement of A, and before each statement inside the functions that A calls. */
export async function racePair(
  world: RaceWorld,
  pair: readonly [string, string],
  seed: number,
  counts: Counts,
  reached: Set<string>,
  /** Only every so many stop points, from one that the seed chooses. */
  every = 1,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  counts.pairs++;
  for (const kind of ['statement', 'inside'] as const) {
    for (let nth = seed % every; nth < MAX_POINTS; nth += every) {
      const point = { kind, nth };
      const ran = await runSchedule(world, pair, point, seed + nth);
      counts.schedules++;
      if (ran.hasWaited) counts.waited++;
      for (const one of ran.passed) reached.add(one);
      if (ran.violations.length > 0) violations.push({ pair, point, ran });
      if (!ran.stop) break;
      counts.stopped++;
    }
  }
  counts.violations += violations.length;
  return violations;
}

export function renderViolation({ pair, point, ran }: Violation, seed: number): string {
  const where = ran.stop ? `${pair[0]} stopped before ${ran.stop.where}` : 'one after the other';
  return [
    `VIOLATION ${pair.join(' with ')}: ${where} (${point.kind} ${point.nth})${ran.hasWaited ? ', the second one waited' : ''}`,
    ...ran.violations.map((line) => `  ${line}`),
    `  npm run prove -- races --seed ${seed} --pair ${pair.join(',')}`,
  ].join('\n');
}

function choosePairs(seed: number, pair: string | undefined): [string, string][] {
  const wanted = pair?.split(',') ?? [];
  const unknown = wanted.filter((name) => !(name in OPERATIONS));
  if (unknown.length > 0 || wanted.length > 2) {
    throw new Error(`--pair names one or two of: ${Object.keys(OPERATIONS).join(' ')}`);
  }
  if (wanted.length === 2) return [[wanted[0]!, wanted[1]!]];
  const all = listPairs().filter((some) => wanted.length === 0 || some.includes(wanted[0]!));
  return openRandom(seed).shuffle(all);
}

export async function proveRaces({ seed, pair }: Options, log: Log) {
  const pairs = choosePairs(seed, pair);
  const world = await openWorld();
  const counts: Counts = { pairs: 0, schedules: 0, waited: 0, stopped: 0, violations: 0 };
  const reached = new Set<string>();
  try {
    const { functions, stopPoints, left } = world.instrumented;
    log(`${functions} functions have ${stopPoints} stop points; without any: ${left.join(', ') || 'none'}`);
    for (const one of pairs) {
      for (const violation of await racePair(world, one, seed, counts, reached)) log(renderViolation(violation, seed));
      if (counts.pairs % 20 === 0) {
        const { schedules, waited, violations } = counts;
        log(
          `${counts.pairs} of ${pairs.length} pairs, ${schedules} schedules, ${waited} waited, ${violations} violations`,
        );
      }
    }
    return {
      prove: 'races',
      seed,
      operations: Object.keys(OPERATIONS).length,
      ...counts,
      stop_points_reached: reached.size,
      stop_points: stopPoints,
      functions_instrumented: functions,
      functions_left_out: left.length,
      faults: counts.violations,
    };
  } finally {
    await world.close();
  }
}
