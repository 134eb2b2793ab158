import { expect, it } from 'vitest';
import { type LimitsText, parseLimits } from './readLimits.ts';

const USED: LimitsText = {
  ...{ payment_limit: '10', day_limit: '100', month_limit: '100', day_payments: '100' },
  ...{ payments: '0', day_spent: '0', month_spent: '0', day_resets_at: null, month_resets_at: null },
};

it.each([
  ['0', 100n],
  ['1', 99n],
  ['99', 1n],
  ['100', 0n],
  // The limit was lowered after that.
  ['101', 0n],
  ['1000000', 0n],
])('after %s of 100, %s are left', (used, left) => {
  for (const [name, column] of [
    ['day', 'day_spent'],
    ['month', 'month_spent'],
    ['count', 'payments'],
  ] as const) {
    const limits = parseLimits({ ...USED, [column]: used });
    const found = Object.fromEntries(limits.map((one) => [one.limit, one.left]));
    expect(found).toEqual({ payment: 10n, day: 100n, month: 100n, count: 100n, [name]: left });
  }
});

it('without a limit, shows no remaining amount', () => {
  const none = { payment_limit: null, day_limit: null, month_limit: null, day_payments: null };
  for (const { left, maximum } of parseLimits({ ...USED, ...none, day_spent: '5' }))
    expect([left, maximum]).toEqual([null, null]);
});
