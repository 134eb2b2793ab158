import { fromMicros, toMicros } from '@florin/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { share } from './shares.ts';

it.each([
  ['30', 2, true, ['10', '10'], '10'],
  ['10', 2, true, ['3.33', '3.33'], '3.34'],
  ['10', 3, false, ['3.34', '3.33', '3.33'], undefined],
  ['0.000003', 1, true, ['0.000001'], '0.000002'],
  ['7', 1, false, ['7'], undefined],
])('%s among %s others, with me: %s', (total, people, isSharing, others, own) =>
  expect(share(total, people, isSharing)).toEqual({ others, own }),
);

it.each([
  ['0.01', 1, true],
  ['0.02', 3, false],
  ['5', 0, true],
])('%s among %s others cannot be divided', (total, people, isSharing) =>
  expect(share(total, people, isSharing)).toBeUndefined(),
);

it('adds up, and differs by at most what does not divide', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n - 1n), fc.integer({ min: 1, max: 20 }), fc.boolean(), (micros, people, me) => {
      const shares = share(fromMicros(micros), people, me);
      if (!shares) return;
      const parts = [...shares.others, ...(shares.own === undefined ? [] : [shares.own])].map(toMicros);
      expect(parts.reduce((sum, one) => sum + one, 0n)).toBe(micros);
      const most = parts.reduce((a, b) => (a > b ? a : b));
      expect(parts.every((one) => one > 0n && most - one < 10_000n * BigInt(people + 1))).toBe(true);
    }),
  );
});
