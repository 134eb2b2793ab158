/** Lets every login try whatever it may call and write, and checks what has changed. */
import { openRandom } from '../random.ts';
import { type Attempt, hasTemplate, listFirstAttempts, openGenerator } from './calls/generate.ts';
import type { Statement } from './calls/statement.ts';
import { type Breach, judge } from './laws/judge.ts';
import { deedOf } from './laws/law.ts';
import type { Actor } from './logins.ts';
import type { World, Worlds } from './openWorlds.ts';
import { readAll, takeChanges } from './recorder.ts';
import { State } from './state.ts';

export interface Fault extends Breach {
  readonly actor: Actor;
  readonly variant: string;
  readonly sql: string;
  readonly names: readonly string[];
  /** Whether the statements alone reproduce the fault. False: it depends on earlier calls of the run. */
  readonly isAlone: boolean;
}

export interface Proof {
  readonly calls: number;
  readonly accepted: number;
  readonly functions: number;
  /** The number of these functions that PostgreSQL has executed at least once without an error. */
  readonly covered: number;
  readonly tables: number;
  readonly uncovered: readonly string[];
  readonly withoutTemplate: readonly string[];
  readonly faults: readonly Fault[];
}

export interface ProveOptions {
  readonly seed: number;
  /** Which functions to try systematically before calls are random; by default all. */
  readonly isWanted?: (actor: Actor, name: string) => boolean;
  /** Whether to continue; called before every call. */
  readonly goesOn: (calls: number, faults: number) => boolean;
  readonly onFault?: (fault: Fault) => void;
  readonly onProgress?: (calls: number, accepted: number) => void;
}

/** Few enough that people of the world still have money at the end. */
const CALLS_PER_WORLD = 200;

const sqlOf = (statements: readonly Statement[]): string => statements.map(({ sql }) => sql).join(';\n');

/** One committed transaction; undefined: PostgreSQL has refused it. */
async function attemptIn(world: World, worlds: Worlds, state: State, { actor, statements }: Attempt) {
  const client = await world.as(actor);
  try {
    await client.query(sqlOf(statements));
  } catch (error) {
    if (!(error as { code?: string }).code) throw error;
    return undefined;
  }
  const deed = deedOf(worlds.variant, actor, state, await takeChanges(world.owner, worlds.keys));
  return { breaches: judge(deed), state: deed.after };
}

/** The breaches of an attempt in a fresh world. */
async function tryAlone(worlds: Worlds, attempt: Attempt): Promise<Breach[]> {
  const world = await worlds.open();
  try {
    return (await attemptIn(world, worlds, worlds.baseline, attempt))?.breaches ?? [];
  } finally {
    await world.close();
  }
}

/** Drops statements and changed arguments as long as the same law is broken. */
async function shrink(worlds: Worlds, attempt: Attempt, law: string): Promise<Attempt> {
  const candidates: Attempt[] = [
    ...(attempt.statements.length > 1
      ? attempt.statements.map((_, i) => ({ ...attempt, statements: attempt.statements.filter((_, j) => j !== i) }))
      : []),
    ...attempt.statements.flatMap((statement, i) =>
      statement.simpler.map((simplify) => ({
        ...attempt,
        statements: attempt.statements.map((one, j) => (i === j ? simplify() : one)),
      })),
    ),
  ];
  for (const candidate of candidates) {
    if ((await tryAlone(worlds, candidate)).some((breach) => breach.law === law)) return shrink(worlds, candidate, law);
  }
  return attempt;
}

/** Digits differ between calls of the same fault. */
const signatureOf = (actor: Actor, { law, what }: Breach, name: string): string =>
  `${actor} ${law} ${what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|-?\d+/g, '#')} ${name}`;

export async function runPrivileges(worlds: Worlds, options: ProveOptions): Promise<Proof> {
  const random = openRandom(options.seed);
  const first = listFirstAttempts(random, worlds, options.isWanted);
  const next = openGenerator(random, worlds);
  const executed = new Set<string>();
  const faults = new Map<string, Fault>();
  let [calls, accepted, callsHere, reported] = [0, 0, 0, 0];
  let upcoming = worlds.open();
  let world = await upcoming;
  upcoming = worlds.open();
  let state = worlds.baseline;
  let lastActor: Actor | undefined;
  const closing: Promise<void>[] = [];

  const renew = async () => {
    // Changes that the recorder has not seen would not be checked.
    const missed = state.findDifference(new State(await readAll(world.owner, worlds.keys)));
    if (missed) throw new Error(`the recorder missed a change of ${missed}`);
    closing.push(world.close());
    world = await upcoming;
    upcoming = worlds.open();
    state = worlds.baseline;
    callsHere = 0;
  };

  const report = async (attempt: Attempt, breaches: readonly Breach[]) => {
    const { actor, statements } = attempt;
    for (const breach of breaches) {
      if (statements.some(({ name }) => faults.has(signatureOf(actor, breach, name)))) continue;
      const isAlone = (await tryAlone(worlds, attempt)).some(({ law }) => law === breach.law);
      const smallest = isAlone ? (await shrink(worlds, attempt, breach.law)).statements : statements;
      const names = smallest.map(({ name }) => name);
      const fault = { ...breach, actor, variant: worlds.variant, names, isAlone, sql: sqlOf(smallest) };
      for (const name of names) faults.set(signatureOf(actor, breach, name), fault);
      options.onFault?.(fault);
    }
  };

  try {
    while (options.goesOn(calls, faults.size)) {
      const listed = first.next().value;
      const attempt = listed ?? next();
      // Restores for the next login what the others have ended.
      if (listed && lastActor && lastActor !== listed.actor) await renew();
      lastActor = attempt.actor;
      calls += attempt.statements.length;
      callsHere += attempt.statements.length;
      const done = await attemptIn(world, worlds, state, attempt);
      if (done) {
        accepted += attempt.statements.length;
        for (const { name } of attempt.statements) executed.add(`${attempt.actor} ${name}`);
        state = done.state;
        if (done.breaches.length > 0) await report(attempt, done.breaches);
      }
      if (done?.breaches.length || callsHere >= CALLS_PER_WORLD) await renew();
      if (calls >= reported + 1_000) {
        reported = calls;
        options.onProgress?.(calls, accepted);
      }
    }
  } finally {
    await world.close();
    await (await upcoming).close();
    await Promise.all(closing);
  }
  return { calls, accepted, ...describeCoverage(worlds, executed), faults: [...new Set(faults.values())] };
}

function describeCoverage(worlds: Worlds, executed: ReadonlySet<string>) {
  const pairs = [...worlds.functions].flatMap(([actor, functions]) => functions.map(({ name }) => ({ actor, name })));
  const names = [...new Set(pairs.map(({ name }) => name))];
  const uncovered = names.filter(
    (name) => !pairs.some((pair) => pair.name === name && executed.has(`${pair.actor} ${name}`)),
  );
  const tables = new Set([...worlds.tables.values()].flatMap((list) => list.map(({ table }) => table)));
  return {
    functions: names.length,
    covered: names.length - uncovered.length,
    tables: tables.size,
    uncovered,
    withoutTemplate: names.filter((name) => !hasTemplate(name)),
  };
}
