import { describe, expect, it } from 'vitest';
import { firstBid, isTooLow, lower, raise } from './bids.ts';

const GWEI = 1_000_000_000n;
const feesAt = (base: bigint, tip: bigint) => ({
  baseFeePerGas: base,
  maxPriorityFeePerGas: tip,
  maxFeePerGas: base * 2n + tip,
});

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

describe('a bid', () => {
  it('is too low when it does not reach the base fee, or leaves less of a tip than blocks take', () => {
    const bid = firstBid(feesAt(GWEI, GWEI), 500n * GWEI);
    expect(isTooLow(bid, feesAt(GWEI, GWEI))).toBe(false);
    expect(isTooLow(bid, feesAt(2n * GWEI, GWEI))).toBe(false);
    expect(isTooLow(bid, feesAt(2n * GWEI + 1n, GWEI))).toBe(true);
    expect(isTooLow(bid, feesAt(90n * GWEI, GWEI))).toBe(true);
    expect(isTooLow(bid, feesAt(GWEI, 2n * GWEI))).toBe(true);
  });

  it('that is too high for a node is lowered, but not below what the next block needs', () => {
    const fees = feesAt(100n * GWEI, 2n * GWEI);
    const first = lower({ maxFeeWei: 1_000n * GWEI, priorityFeeWei: 300n * GWEI }, fees)!;
    expect(first).toEqual({ maxFeeWei: 500n * GWEI, priorityFeeWei: 300n * GWEI });
    const last = lower({ maxFeeWei: 200n * GWEI, priorityFeeWei: 2n * GWEI }, fees)!;
    expect(last.maxFeeWei).toBe((1_125n * GWEI) / 10n + 2n * GWEI);
    expect(lower(last, fees)).toBeUndefined();
  });
});
