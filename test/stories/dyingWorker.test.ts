/** A worker that dies at random steps on a chain that reorganizes; `npm run rails` runs it for longer. */
import { describe, expect, it } from 'vitest';
import { runDyingWorker } from '../support/chain/dyingWorker.ts';
import { howMany } from '../support/run/thorough.ts';

const CRASHES = howMany(12, 25);

describe('a dying worker', () => {
  it.each([
    ['wherever the worker dies', { seed: 7, crashes: CRASHES, reorgs: 3 }],
    ['on both rails, with a faulty provider', { seed: 11, crashes: CRASHES, reorgs: 3, isMixed: true }],
  ])('leaves one transfer per payment, none for a cancelled one, and no difference, %s', async (_, options) => {
    const result = await runDyingWorker(options);
    const { crashes, reorgs, payments, transfers, cancelled, faults } = result;
    expect(faults).toEqual([]);
    expect(transfers + cancelled).toBe(payments);
    expect(crashes).toBeGreaterThanOrEqual(CRASHES);
    expect(reorgs).toBe(3);
  });
});
