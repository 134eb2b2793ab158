import { describe, expect, it } from 'vitest';
import { raise } from './relayCarriers.ts';

describe('raise', () => {
  it('bids by the replacement rule: ten per cent more of both, rounded up, never above the cap', () => {
    const fees = { baseFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas: 2n };
    for (const [maxFeeWei, priorityFeeWei] of [
      [1n, 1n],
      [9n, 3n],
      [1_000_000_007n, 33n],
    ] as const) {
      const bid = raise({ maxFeeWei, priorityFeeWei }, fees, 10n ** 12n)!;
      expect(bid.maxFeeWei * 100n).toBeGreaterThanOrEqual(maxFeeWei * 110n);
      expect(bid.priorityFeeWei * 100n).toBeGreaterThanOrEqual(priorityFeeWei * 110n);
    }
    expect(raise({ maxFeeWei: 100n, priorityFeeWei: 1n }, fees, 105n)).toBeUndefined();
  });
});
