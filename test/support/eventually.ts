import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 120_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 300;

/**
 * Repeats `check` until it stops throwing, and returns its result. Pauses grow: each check keeps the processes busy for
 * which it waits. The time-out suits a machine that is several times slower.
 */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.25, LONGEST_PAUSE_MS)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(pause);
  }
}
