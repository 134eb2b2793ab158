import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findPauseMs } from './retries.ts';

afterEach(() => vi.restoreAllMocks());

/** The delays after each failed attempt, until there is none. */
function listPauses(jitter: number): number[] {
  vi.spyOn(Math, 'random').mockReturnValue(jitter);
  const pauses: number[] = [];
  for (let pause = findPauseMs(1, { isEndless: false }); pause !== undefined; )
    pause = findPauseMs(pauses.push(pause) + 1, { isEndless: false });
  return pauses;
}
const hoursOf = (pauses: readonly number[]): string => (pauses.reduce((sum, ms) => sum + ms, 0) / 3_600_000).toFixed(1);

const read = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

describe('the schedule', () => {
  test('is what the guide, the decision and the API document say', () => {
    const pauses = listPauses(0);
    expect([pauses.length + 1, hoursOf(pauses), hoursOf(listPauses(1))]).toEqual([11, '99.6', '119.5']);
    for (const path of ['docs/guides/webhooks.md', 'docs/decisions/0032-webhooks.md', 'openapi/backend.json'])
      expect(read(path), path).toMatch(/eleven attempts (over|in) 99\.6 hours/);
    // The last attempt of an endpoint that was switched off after 72 hours is still ahead.
    expect(pauses.slice(0, -1).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(72 * 3_600_000);
  });

  test('takes a longer delay that the receiver asks for, up to an hour', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const pause = (attempts: number, askedSeconds: number) => findPauseMs(attempts, { isEndless: false, askedSeconds });
    expect([pause(1, 600), pause(1, 1), pause(1, 999_999), pause(5, 600)]).toEqual([
      600_000, 5_000, 3_600_000, 18_000_000,
    ]);
  });

  test('never ends for ordered delivery', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    expect(findPauseMs(100, { isEndless: true })).toBe(24 * 3_600_000);
  });
});
