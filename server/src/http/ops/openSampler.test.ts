import { expect, test } from 'vitest';
import { openSampler } from './openSampler.ts';

const traceWith = (last14: string): string => `0af7651916cd43dd80${last14}`;
const LOW = traceWith('00000000000000');
const HIGH = traceWith('ffffffffffffff');

test.each([
  [1, [true, true]],
  [0, [false, false]],
  [0.5, [false, true]],
])('a share of %d sends the traces with the highest ids', (share, expected) => {
  const isSampled = openSampler({ share, followsParent: true });
  expect([isSampled(LOW), isSampled(HIGH)]).toEqual(expected);
});

test('a quarter is a quarter, exactly at its bound', () => {
  const isSampled = openSampler({ share: 0.25, followsParent: false });
  expect([isSampled(traceWith('bffffffffffff0')), isSampled(traceWith('c0000000000000'))]).toEqual([false, true]);
});

test('the caller decides about its own trace only if the sampler is parent-based', () => {
  const follows = openSampler({ share: 0, followsParent: true });
  expect([follows(HIGH, true), follows(HIGH, false), follows(HIGH)]).toEqual([true, false, false]);
  const alone = openSampler({ share: 1, followsParent: false });
  expect([alone(LOW, false), alone(LOW, true)]).toEqual([true, true]);
});
