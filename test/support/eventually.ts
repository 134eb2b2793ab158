import { vi } from 'vitest';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/**
 * Asks again until `check` stops throwing, and answers what it answered. Patient enough for a machine on which
 * everything takes several times as long.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: PAUSE_MS });
