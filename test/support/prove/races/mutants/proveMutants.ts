/** Drops locks and checks, one at a time: a pair of the table must notice each, or it must be known to be harmless. */
import { openRandom } from '../../random.ts';
import type { StopPoint } from '../openGate.ts';
import { openWorld, type RaceWorld } from '../openWorld.ts';
import { listPairs, OPERATIONS } from '../operations.ts';
import { type Pair, racePair } from '../racePair.ts';
import { runSchedule } from '../runSchedule.ts';
import { HARMLESS } from './harmless.ts';

interface Options {
  readonly seed: number;
  /** Names of mutants, or beginnings of them; empty: all. */
  readonly only: readonly string[];
}

type Log = (line: string) => void;

interface Mutant {
  readonly name: string;
  /** The part of it that a trace shows: a function, or a whole statement. */
  readonly isAt: (place: StopPoint) => boolean;
  readonly plant: (world: RaceWorld) => Promise<() => Promise<void>>;
}

const LOCK = /\bFOR\s+(?:NO\s+KEY\s+UPDATE|KEY\s+SHARE|UPDATE|SHARE)(?:\s+OF\s+\w+)?(?:\s+SKIP\s+LOCKED)?/g;
const TABLE_LOCK = /\bLOCK\s+TABLE\s[^;]*;/g;
/** The last check before a commit: rows that were read before waiting for a lock may have changed. */
const RETRY = /\bRAISE EXCEPTION '[^']*'\s+USING ERRCODE = 'serialization_failure';/g;

/** Each match of `what` outside comments, with the text in which this one is replaced. */
function* replaceEach(text: string, what: RegExp, by: string): Generator<string> {
  for (const { 0: found, index } of text.matchAll(what)) {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    if (!line.includes('--')) yield text.slice(0, index) + by + text.slice(index + found.length);
  }
}

function mutantsOfFunctions({ instrumented }: RaceWorld): Mutant[] {
  return [...instrumented.sources].flatMap(([name, source]) => {
    const changed = [
      ...replaceEach(source, LOCK, ''),
      ...replaceEach(source, TABLE_LOCK, 'NULL;'),
      ...replaceEach(source, RETRY, 'NULL;'),
    ];
    return changed.map((text, i) => ({
      name: `${name} ${i + 1}`,
      isAt: ({ kind, where }: StopPoint) => kind === 'inside' && where.startsWith(`${name} `),
      plant: (world: RaceWorld) => world.instrumented.plant(name, () => text),
    }));
  });
}

/** Statements of the server itself, as they were seen on their way to PostgreSQL. */
function mutantsOfStatements(texts: ReadonlySet<string>): Mutant[] {
  return [...texts].flatMap((text) => {
    const [changed] = replaceEach(text, LOCK, '');
    if (changed === undefined) return [];
    const rewrite = (one: string) => (one === text ? changed : one);
    const plant = async ({ gates }: RaceWorld) => {
      for (const gate of [gates.a, gates.b]) gate.rewrite(rewrite);
      return async () => {
        for (const gate of [gates.a, gates.b]) gate.rewrite((one) => one);
      };
    };
    return [
      {
        name: `statement ${text.replace(/\s+/g, ' ').slice(0, 90)}`,
        isAt: (place: StopPoint) => place.text === text,
        plant,
      },
    ];
  });
}

/** The stop points that each operation reaches when it runs alone. */
async function traceAll(world: RaceWorld, seed: number): Promise<Map<string, readonly StopPoint[]>> {
  const traces = new Map<string, readonly StopPoint[]>();
  for (const name of Object.keys(OPERATIONS)) {
    traces.set(name, (await runSchedule(world, [name, name], undefined, seed)).trace);
  }
  return traces;
}

/** The stop points after the missing lock, in its function or soon after; all stop points if only B misses the lock. */
const AFTER = 6;

function choosePlaces(isAt: Mutant['isAt']) {
  return (places: readonly StopPoint[]): readonly StopPoint[] => {
    const first = places.findIndex(isAt);
    const last = places.findLastIndex(isAt);
    return first < 0 ? places : places.slice(first, last + 1 + AFTER);
  };
}

/** A mutant that this many schedules do not notice is rarely noticed later. */
const MAX_SCHEDULES = 500;

/** Pairs in which both operations take the lock come first: most locks protect such pairs. */
function choosePairs(passing: ReadonlySet<string>, seed: number): Pair[] {
  const weigh = ([a, b]: Pair) => Number(passing.has(a)) * 2 + Number(passing.has(b));
  return openRandom(seed)
    .shuffle(listPairs())
    .filter((pair) => weigh(pair) > 0)
    .sort((one, other) => weigh(other) - weigh(one));
}

interface Hunt {
  readonly pairs: number;
  readonly schedules: number;
  readonly caughtBy?: Pair;
}

async function hunt(world: RaceWorld, mutant: Mutant, pairs: readonly Pair[], seed: number): Promise<Hunt> {
  let schedules = 0;
  const race = async (pair: Pair) => {
    const raced = await racePair(world, pair, seed, choosePlaces(mutant.isAt));
    schedules += raced.schedules;
    return raced.violations.length > 0;
  };
  const undo = await mutant.plant(world);
  try {
    for (const [i, pair] of pairs.entries()) {
      if (await race(pair)) return { pairs: i + 1, schedules, caughtBy: pair };
      if (schedules >= MAX_SCHEDULES) return { pairs: i + 1, schedules };
    }
    return { pairs: pairs.length, schedules };
  } finally {
    await undo();
  }
}

export async function proveMutants({ seed, only }: Options, isOver: () => boolean, log: Log) {
  const world = await openWorld();
  const counts = { mutants: 0, caught: 0, harmless: 0, unreached: 0, missed: 0, left: 0, schedules: 0 };
  const isWanted = ({ name }: Mutant) => only.length === 0 || only.some((one) => name.startsWith(one));
  try {
    const traces = await traceAll(world, seed);
    const texts = new Set([...traces.values()].flat().flatMap(({ text }) => text ?? []));
    const all = [...mutantsOfFunctions(world), ...mutantsOfStatements(texts)].filter(isWanted);
    counts.mutants = all.length;
    for (const mutant of all) {
      const { name, isAt } = mutant;
      const passing = new Set([...traces].filter(([, trace]) => trace.some(isAt)).map(([one]) => one));
      if (passing.size === 0) {
        counts.unreached++;
        log(`unreached: ${name}`);
        continue;
      }
      if (isOver()) {
        counts.left++;
        continue;
      }
      const pairs = choosePairs(passing, seed);
      const { caughtBy, ...tried } = await hunt(world, mutant, pairs, seed);
      counts.schedules += tried.schedules;
      const why = Object.entries(HARMLESS).find(([known]) => name.startsWith(known))?.[1];
      if (caughtBy) counts.caught++;
      else if (why) counts.harmless++;
      else counts.missed++;
      const verdict = caughtBy ? `caught by ${caughtBy.join(' with ')}` : why ? `harmless, ${why}` : 'MISSED';
      log(`${name}: ${verdict} (${tried.pairs} pairs, ${tried.schedules} schedules)`);
    }
  } finally {
    await world.close();
  }
  return { prove: 'races', seed, ...counts, faults: counts.missed };
}
