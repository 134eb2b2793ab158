import { setTimeout as sleep } from 'node:timers/promises';

const ENOUGH_MS = 45_000;

/** For tests that count hours: waits if the current one is about to end. */
export async function stayWithinHour(): Promise<void> {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < ENOUGH_MS) await sleep(leftMs + 100);
}
