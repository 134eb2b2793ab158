import { vi } from 'vitest';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/**
 * Repeats `check` until it stops throwing, and returns its result. The time-out suits a machine that is several times
 * slower.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: PAUSE_MS });
