/**
 * One schedule: A is stopped at one point, B runs to its end or until it waits for A, A continues; then the model
 * judges.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { judgePages } from '../../properties/judgePages.ts';
import type { Answer } from '../model/calls.ts';
import { exploreAll, exploreSerial, exploreStopped, type Outcome } from '../model/explore.ts';
import { compareStates, renderState, type State } from '../model/state.ts';
import { openRandom } from '../random.ts';
import { buildScene, type Need, type Scene } from './buildScene.ts';
import { STOP_LOCK } from './instrument.ts';
import { type Observed, observe } from './observe.ts';
import type { StopPoint } from './openGate.ts';
import { type RaceWorld, RESET } from './openWorld.ts';
import { toAnswer } from './operations/toAnswer.ts';
import { OPERATIONS } from './operations.ts';

export type Point = Pick<StopPoint, 'kind' | 'nth'>;

export interface Ran {
  /** Undefined: A ended before it reached this point. */
  readonly stop: StopPoint | undefined;
  readonly hasWaited: boolean;
  /** The number of stop points that B had passed when it began to wait. */
  readonly waitedAt: number | undefined;
  readonly answers: readonly [Answer, Answer];
  /** The statements that PostgreSQL has aborted because of a deadlock. */
  readonly deadlocks: readonly string[];
  /** The stop points that A has reached. */
  readonly trace: readonly StopPoint[];
  /** Why the outcome is not allowed; empty if it is. */
  readonly violations: readonly string[];
}

/** Without a point B runs after A has ended. */
export async function runSchedule(
  world: RaceWorld,
  [first, second]: readonly [string, string],
  point: Point | undefined,
  seed: number,
): Promise<Ran> {
  const [a, b] = [OPERATIONS[first]!, OPERATIONS[second]!];
  const needs = new Set<Need>([...(a.needs ?? []), ...(b.needs ?? [])]);
  const scene = await buildScene(world, openRandom(seed), needs);
  for (const one of [a, b]) one.prepare?.(scene);
  const before = await observe(world, scene);
  try {
    const raced = await race(world, scene, [first, second], point);
    const after = await observe(world, scene);
    const calls = [a.call(scene), b.call(scene)] as const;
    const explore = !raced.stop ? exploreSerial : raced.hasWaited ? exploreAll : exploreStopped;
    const violations = [
      ...before.faults,
      ...after.faults,
      ...(raced.between?.faults ?? []),
      ...(await judgePages(world, scene)),
      ...judge(explore(before.state, calls), raced.answers, after.state, raced.between?.state),
    ];
    return { ...raced, violations };
  } finally {
    await world.cleaner.query(RESET);
  }
}

interface Raced extends Omit<Ran, 'violations'> {
  /** The state after B, before A continued. */
  readonly between?: Observed;
}

async function race(
  world: RaceWorld,
  scene: Scene,
  names: readonly [string, string],
  point: Point | undefined,
): Promise<Raced> {
  const { owner, gates, sides } = world;
  const run = (side: 'a' | 'b', name: string) => toAnswer(OPERATIONS[name]!.run(sides[side], scene));
  await owner.query(
    `SELECT setval('races.steps', 1, false);
     UPDATE races.target SET stop_at = ${point?.kind === 'inside' ? point.nth + 1 : 0};
     SELECT pg_advisory_lock(${STOP_LOCK})`,
  );
  const stopping = gates.a.arm(point?.kind === 'statement' ? point.nth : undefined);
  gates.b.arm(undefined);
  const answerA = run('a', names[0]);
  const stop = await Promise.race([stopping, answerA.then(() => undefined)]);
  const answerB = run('b', names[1]);
  const hasWaited = stop !== undefined && (await waits(world, answerB));
  const waitedAt = hasWaited ? gates.b.trace.length : undefined;
  const between = stop && !hasWaited ? await observe(world, scene) : undefined;
  gates.a.resume();
  await owner.query(`SELECT pg_advisory_unlock(${STOP_LOCK})`);
  const answers = [await answerA, await answerB] as const;
  const deadlocks = [...gates.a.deadlocks, ...gates.b.deadlocks];
  return { stop, hasWaited, waitedAt, answers, deadlocks, trace: gates.a.trace, ...(between && { between }) };
}

/** True: a connection of B's waits for one of A's. False: B has ended. */
async function waits({ watcher, gates }: RaceWorld, answer: Promise<Answer>): Promise<boolean> {
  let hasEnded = false;
  const ended = answer.then(() => {
    hasEnded = true;
  });
  for (;;) {
    await Promise.race([ended, sleep(5)]);
    if (hasEnded) return false;
    const { rows } = await watcher.query<{ waits: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity b
         WHERE b.client_port = ANY ($1::integer[]) AND b.datname = current_database() AND b.wait_event_type = 'Lock'
           AND EXISTS (SELECT FROM unnest(pg_blocking_pids(b.pid)) AS p JOIN pg_stat_activity a ON a.pid = p
                        WHERE a.client_port = ANY ($2::integer[]) AND a.datname = current_database())) AS waits`,
      [gates.b.ports(), gates.a.ports()],
    );
    if (rows[0]!.waits && !hasEnded) return true;
  }
}

/**
 * Returns the differences from the nearest allowed outcome; none if one of the allowed outcomes is exactly this one.
 */
function judge(
  allowed: readonly Outcome[],
  answers: readonly [Answer, Answer],
  after: State,
  between: State | undefined,
): string[] {
  const [found, foundBetween] = [renderState(after), between && renderState(between)];
  const says = (one: Outcome) => one.answers[0] === answers[0] && one.answers[1] === answers[1];
  const isExact = (one: Outcome) =>
    says(one) && renderState(one.state) === found && (!foundBetween || renderState(one.between!) === foundBetween);
  if (allowed.some(isExact)) return [];
  const said = allowed.filter(says);
  const words = (some: readonly [Answer, Answer]) => `(${some.join(' | ')})`;
  if (said.length === 0) {
    return [
      `answered ${words(answers)}; allowed: ${[...new Set(allowed.map((one) => words(one.answers)))].join(' or ')}`,
    ];
  }
  // The nearest one is the most useful to read.
  const differences = said.map((one) => [
    ...compareStates(one.state, after).map((line) => `after both: ${line}`),
    ...(between && one.between ? compareStates(one.between, between).map((line) => `after B: ${line}`) : []),
  ]);
  return differences.sort((x, y) => x.length - y.length)[0]!.map((line) => `answered ${words(answers)}; ${line}`);
}
