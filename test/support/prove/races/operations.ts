/** The operations that race: each through the code that servers, workers and operators run, and as the model knows it. */
import type { Answer, Call } from '../model/calls.ts';
import type { Need, Scene } from './buildScene.ts';
import type { Side } from './openSide.ts';
import { operatorsDo } from './operations/operatorsDo.ts';
import { peopleDo } from './operations/peopleDo.ts';
import { workersDo } from './operations/workersDo.ts';

export interface Operation {
  readonly needs?: readonly Need[];
  /** What it reads or changes: two operations race when they share one of these. */
  readonly touches: readonly string[];
  readonly call: (scene: Scene) => Call;
  /** Names ids that the operation will use. Called before the race, once. */
  readonly prepare?: (scene: Scene) => void;
  readonly run: (side: Side, scene: Scene) => Promise<Answer>;
}

export const OPERATIONS: Readonly<Record<string, Operation>> = { ...peopleDo, ...operatorsDo, ...workersDo };

/** Every pair that shares something, in both orders; each operation also meets itself. */
export function listPairs(): [string, string][] {
  const names = Object.keys(OPERATIONS);
  return names.flatMap((a) =>
    names
      .filter((b) => OPERATIONS[a]!.touches.some((one) => OPERATIONS[b]!.touches.includes(one)))
      .map((b): [string, string] => [a, b]),
  );
}
