import { expect, it } from 'vitest';
import { makePeriod, nameOfPeriod, PERIODS, readPeriod, toQuery } from './periods.ts';

it.each([
  ['month', new Date(2026, 10, 19), '2026-11-01', '2026-11-30'],
  ['lastMonth', new Date(2026, 0, 31), '2025-12-01', '2025-12-31'],
  ['lastMonth', new Date(2024, 2, 31), '2024-02-01', '2024-02-29'],
  ['year', new Date(2026, 11, 31), '2026-01-01', '2026-12-31'],
  ['lastYear', new Date(2024, 1, 29), '2023-01-01', '2023-12-31'],
  ['all', new Date(2026, 0, 1), '', ''],
] as const)('%s of %s is from %s to %s', (name, now, from, to) => {
  expect(makePeriod(name, now)).toEqual({ from, to });
});

it('a named period has its name', () => {
  for (const name of PERIODS) expect(nameOfPeriod(makePeriod(name))).toBe(name);
  expect(nameOfPeriod({ from: '2001-02-03', to: '' })).toBeUndefined();
});

it('contains its last day, also when the clock is changed on it', () => {
  const { from, to } = toQuery({ from: '2026-10-25', to: '2026-10-25' });
  expect([from, to]).toEqual([new Date(2026, 9, 25).toISOString(), new Date(2026, 9, 26).toISOString()]);
  expect(toQuery({ from: '', to: '' })).toEqual({});
});

it.each(['2026-02-30', '2026-13-01', 'yesterday', '0000-01-01', '99999-01-01', ''])('%j is no day', (day) => {
  expect(readPeriod(new URLSearchParams({ from: day, to: day }))).toEqual({ from: '', to: '' });
});
