/**
 * Gas of one call: measured 65,000 to 82,600 with the test token, to a recipient without a balance and everything
 * cold; Circle's proxy adds a few thousand. A node is never asked for an estimate: for a batch that allows failure it
 * finds the gas at which the calls fail.
 */
const CALL_GAS = 95_000n;
const BASE_GAS = 40_000n;

/** A call gets at most 63/64 of what is left, so the last one needs 1/63 more in the pot than it uses. */
export const gasLimitOf = (calls: number): bigint => ((BASE_GAS + CALL_GAS * BigInt(calls)) * 64n) / 63n + 1n;

/** How many calls a carrier may have, at most `most`, so that it costs no more than `wei`; 0 when not even one. */
export function countAffordable(wei: bigint, maxFeeWei: bigint, most: number): number {
  let calls = most;
  while (calls > 0 && gasLimitOf(calls) * maxFeeWei > wei) calls--;
  return calls;
}

/** How many payments this much money carries at this price, each alone in its carrier: in company it is more. */
export const countPayments = (gasWei: bigint, gasPriceWei: bigint): bigint | undefined =>
  gasPriceWei > 0n ? gasWei / (gasLimitOf(1) * gasPriceWei) : undefined;

/** What so many payments cost at this price, each alone in its carrier. */
export const costOf = (payments: bigint, gasPriceWei: bigint): bigint => payments * gasLimitOf(1) * gasPriceWei;
