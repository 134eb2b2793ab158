/** A short run of `npm run chaos`. */
import { describe, expect, it } from 'vitest';
import { runChaos } from '../support/chain/chaos.ts';

describe('chaos', () => {
  it('leaves one transfer per payment, none of a cancelled one, and no difference, wherever the worker dies', async () => {
    const result = await runChaos({ seed: 7, crashes: 25, reorgs: 3 });
    const { crashes, reorgs, payments, transfers, cancelled, faults } = result;
    expect(faults).toEqual([]);
    expect(transfers + cancelled).toBe(payments);
    expect(crashes).toBeGreaterThanOrEqual(25);
    expect(reorgs).toBe(3);
  });
});
