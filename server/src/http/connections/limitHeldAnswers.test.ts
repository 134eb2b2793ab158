import { expect, it } from 'vitest';
import { limitHeldAnswers } from './limitHeldAnswers.ts';

it('limits one caller and all callers together, and an ended answer frees its slot', () => {
  const held = limitHeldAnswers({ caller: 2, all: 3 });
  const first = held.begin('ada')!;
  const second = held.begin('ada')!;
  expect(held.begin('ada')).toBeUndefined();
  const other = held.begin('bob')!;
  // Ada is at her limit, and all are at theirs.
  expect(held.begin('eve')).toBeUndefined();
  first();
  const eve = held.begin('eve')!;
  expect(held.begin('ada')).toBeUndefined();
  for (const end of [second, other, eve]) end();
  expect([held.begin('ada'), held.begin('ada'), held.begin('ada')].map(Boolean)).toEqual([true, true, false]);
});
