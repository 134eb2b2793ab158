import { expect, it } from 'vitest';
import { spread } from './spread.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

it('puts long ones at even distances, the first at the beginning, and none at the end', () => {
  expect(spread(['A', 'B'], ['a', 'b', 'c', 'd', 'e']).join('')).toBe('AabBcde');
  expect(spread(['A', 'B', 'C'], ['a']).join('')).toBe('ABCa');
});

it('loses and repeats nothing, and keeps the order of both', () => {
  for (const [long, others] of [
    [0, 7],
    [7, 0],
    [3, 100],
    [30, 11],
  ] as const) {
    const mixed = spread(numbers(long).map((n) => n - 1000), numbers(others)); // biome-ignore format: one call
    expect(mixed.filter((n) => n >= 0)).toEqual(numbers(others));
    expect(mixed.filter((n) => n < 0)).toEqual(numbers(long).map((n) => n - 1000));
  }
});
