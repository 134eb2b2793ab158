/** Every way in which two calls may take turns, and what each leads to. */
import type { Answer, Call } from './calls.ts';
import type { Rules } from './money.ts';
import { stepsOf } from './predict.ts';
import type { State } from './state.ts';
import type { Step } from './step.ts';

export interface Outcome {
  readonly answers: readonly [Answer, Answer];
  readonly state: State;
  /** When the second call ran to its end between two steps of the first: the state right after it. */
  readonly between?: State;
}

/** Runs steps until one answers, and tells what is left. */
function run(state: State, steps: Step[], count = steps.length): Answer | undefined {
  for (let i = 0; i < count && steps.length > 0; i++) {
    const answer = steps.shift()!(state);
    if (answer === undefined) continue;
    steps.length = 0;
    return answer;
  }
  return undefined;
}

/** The first call is stopped anywhere, the second runs to its end, the first goes on. */
export function exploreStopped(rules: Rules, before: State, [a, b]: readonly [Call, Call]): Outcome[] {
  return Array.from({ length: stepsOf(rules, a).length + 1 }, (_, k) => {
    const state = structuredClone(before);
    const steps = stepsOf(rules, a);
    const early = run(state, steps, k);
    const second = run(state, stepsOf(rules, b))!;
    const between = structuredClone(state);
    const first = early ?? run(state, steps)!;
    return { answers: [first, second] as const, state, between };
  });
}

/** Any order of the steps of both. */
export function exploreAll(rules: Rules, before: State, [a, b]: readonly [Call, Call]): Outcome[] {
  const counts = [stepsOf(rules, a).length, stepsOf(rules, b).length] as const;
  return orders(counts[0], counts[1]).map((order) => {
    const state = structuredClone(before);
    const steps = [stepsOf(rules, a), stepsOf(rules, b)] as const;
    const answers: (Answer | undefined)[] = [undefined, undefined];
    for (const who of order) answers[who] ??= run(state, steps[who], 1);
    return { answers: answers as [Answer, Answer], state };
  });
}

function orders(a: number, b: number): (0 | 1)[][] {
  if (a === 0) return [Array<1>(b).fill(1)];
  if (b === 0) return [Array<0>(a).fill(0)];
  return [
    ...orders(a - 1, b).map((rest): (0 | 1)[] => [0, ...rest]),
    ...orders(a, b - 1).map((rest): (0 | 1)[] => [1, ...rest]),
  ];
}
