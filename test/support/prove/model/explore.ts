/** Finds every interleaving of two calls, and its outcome. */
import type { Answer, Call } from './calls.ts';
import { stepsOf } from './predict.ts';
import type { State } from './state.ts';
import type { Step } from './step.ts';

export interface Outcome {
  readonly answers: readonly [Answer, Answer];
  readonly state: State;
  /** The state right after the second call, if that call ran to its end between two steps of the first. */
  readonly between?: State;
}

type Calls = readonly [Call, Call];
type Steps = readonly [() => Step[], () => Step[]];

/** Runs steps until one answers. The remaining steps stay in the list. */
function run(state: State, steps: Step[], count = steps.length): Answer | undefined {
  for (let i = 0; i < count && steps.length > 0; i++) {
    const answer = steps.shift()!(state);
    if (answer === undefined) continue;
    steps.length = 0;
    return answer;
  }
  return undefined;
}

const busy = (): Step[] => [() => 'idempotency.in_progress'];

/** While a send is being decided, a call with the same key may be answered that another call is in progress. */
function alternatives([a, b]: Calls): Steps[] {
  const [first, second] = [() => stepsOf(a), () => stepsOf(b)];
  const isSameKey = a.do === 'send' && b.do === 'send' && a.id === b.id;
  return isSameKey
    ? [
        [first, second],
        [first, busy],
        [busy, second],
      ]
    : [[first, second]];
}

/** The first call is stopped anywhere, the second runs to its end, the first goes on. */
export const exploreStopped = (before: State, calls: Calls): Outcome[] =>
  alternatives(calls).flatMap(([a, b]) =>
    Array.from({ length: a().length + 1 }, (_, k) => {
      const state = structuredClone(before);
      const steps = a();
      const early = run(state, steps, k);
      const second = run(state, b())!;
      const between = structuredClone(state);
      const first = early ?? run(state, steps)!;
      return { answers: [first, second] as const, state, between };
    }),
  );

/** The second call begins when the first has ended. */
export function exploreSerial(before: State, [a, b]: Calls): Outcome[] {
  const state = structuredClone(before);
  const first = run(state, stepsOf(a))!;
  return [{ answers: [first, run(state, stepsOf(b))!], state }];
}

/** PostgreSQL aborts one of two calls that wait for each other. The aborted call changes nothing. */
const DEADLOCK = 'error 40P01: deadlock detected';
const dead = (): Step[] => [() => DEADLOCK];

/** Any order of the steps of both. */
export const exploreAll = (before: State, calls: Calls): Outcome[] =>
  [...alternatives(calls), [() => stepsOf(calls[0]), dead] as const, [dead, () => stepsOf(calls[1])] as const].flatMap(
    ([a, b]) =>
      orders(a().length, b().length).map((order) => {
        const state = structuredClone(before);
        const steps = [a(), b()] as const;
        const answers: (Answer | undefined)[] = [undefined, undefined];
        for (const who of order) answers[who] ??= run(state, steps[who], 1);
        return { answers: answers as [Answer, Answer], state };
      }),
  );

function orders(a: number, b: number): (0 | 1)[][] {
  if (a === 0) return [Array<1>(b).fill(1)];
  if (b === 0) return [Array<0>(a).fill(0)];
  return [
    ...orders(a - 1, b).map((rest): (0 | 1)[] => [0, ...rest]),
    ...orders(a, b - 1).map((rest): (0 | 1)[] => [1, ...rest]),
  ];
}
