/** Part of `npm run test:all`: the compiler takes longer than all other tests of the chain. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ARTIFACTS, compileContracts } from '../../../scripts/compileContracts.ts';

it('the contracts are the compiler’s output for the sources (npm run contracts)', () => {
  expect(compileContracts()).toBe(readFileSync(ARTIFACTS, 'utf8'));
});
