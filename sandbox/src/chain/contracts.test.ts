/** Part of `npm run test:all`: the compiler takes longer than all other tests of the chain. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ARTIFACTS, compileContracts } from '../../../scripts/compileContracts.ts';

it('contracts are what the compiler makes of the sources (npm run contracts)', () => {
  expect(compileContracts()).toBe(readFileSync(ARTIFACTS, 'utf8'));
});
