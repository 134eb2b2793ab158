/** A slice of `npm run chaos`. */
import { describe, expect, it } from 'vitest';
import { runChaos } from './support/chaos.ts';

describe('chaos', () => {
  it('leaves one transfer per payment and no difference, wherever the worker dies', async () => {
    const { crashes, reorgs, payments, transfers, faults } = await runChaos({ seed: 7, crashes: 25, reorgs: 3 });
    expect(faults).toEqual([]);
    expect(transfers).toBe(payments);
    expect(crashes).toBeGreaterThanOrEqual(25);
    expect(reorgs).toBe(3);
  }, 120_000);
});
