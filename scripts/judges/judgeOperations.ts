import { proveNegatives } from '../../test/support/prove/negatives/proveNegatives.ts';
import type { Judge } from './judge.ts';

const MINUTES = 1;

/** Our own script, because it reads our documents and knows which refusal each fault must get. */
export const judgeOperations: Judge = async () => {
  const findings: string[] = [];
  const note = (line: string) => {
    if (line.startsWith('FAULT ')) findings.push(line.slice('FAULT '.length));
  };
  const { operations, cases, several } = await proveNegatives({ minutes: MINUTES, seed: 1 }, note);
  return [
    {
      judge: 'npm run prove -- negatives',
      version: 'own script',
      about: 'every operation with every field, parameter and header at fault, generated from the documents',
      findings,
      figure: `${operations} operations, ${cases + several} calls`,
    },
  ];
};
