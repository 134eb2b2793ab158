/** The operations that race: each through the code that servers, workers and operators run, and as the model knows it. */
import type { Operation } from './operation.ts';
import { custodyDoes } from './operations/custodyDoes.ts';
import { operatorsDo } from './operations/operatorsDo.ts';
import { payoutsDo } from './operations/payoutsDo.ts';
import { peopleDo } from './operations/peopleDo.ts';
import { workersDo } from './operations/workersDo.ts';

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...peopleDo,
  ...operatorsDo,
  ...payoutsDo,
  ...workersDo,
  ...custodyDoes,
};

/** Every pair that shares something, in both orders; each operation also meets itself. */
export function listPairs(): [string, string][] {
  const names = Object.keys(OPERATIONS);
  return names.flatMap((a) =>
    names
      .filter((b) => OPERATIONS[a]!.touches.some((one) => OPERATIONS[b]!.touches.includes(one)))
      .map((b): [string, string] => [a, b]),
  );
}
