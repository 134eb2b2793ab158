/**
 * Gas of one call: measured 65,000 to 82,600 with the test token, to a recipient without a balance and everything
 * cold; Circle's proxy adds a few thousand. A node is never asked for an estimate: for a batch that allows failure it
 * finds the gas at which the calls fail. A call that ran out of gas gets more the next time (`authorizations.call_gas`).
 */
export const CALL_GAS = 95_000n;
const BASE_GAS = 40_000n;
/** A call that needs more than this is given up: it is doubled four times. */
export const MAX_CALL_GAS = 16n * CALL_GAS;
/** The most that Ethereum takes for one chain transaction (EIP-7825). */
export const MAX_GAS_LIMIT = 16_777_216n;

/** By the gas of each call. A call gets at most 63/64 of what is left, so the last one needs 1/63 more in the pot than it uses. */
export const gasLimitOf = (calls: readonly bigint[]): bigint =>
  (calls.reduce((sum, gas) => sum + gas, BASE_GAS) * 64n) / 63n + 1n;

/** The gas of so many calls that nothing is known about. */
export const usualGas = (calls: number): bigint[] => Array.from({ length: calls }, () => CALL_GAS);

/** Of a carrier with one usual call. */
export const ONE_CALL = gasLimitOf([CALL_GAS]);

/** How many of these calls, in order, a carrier may have so that it costs no more than `wei`; 0 when not even one. */
export function countAffordable(wei: bigint, maxFeeWei: bigint, calls: readonly bigint[]): number {
  let count = calls.length;
  const limit = () => gasLimitOf(calls.slice(0, count));
  while (count > 0 && (limit() * maxFeeWei > wei || limit() > MAX_GAS_LIMIT)) count--;
  return count;
}

/**
 * Did calls of a mined carrier fail because it had too little gas? One that runs out takes 63/64 of what is left with it.
 * Up to a tenth of what the others used may have been given back, for balances that became zero.
 */
export const isOutOfGas = (gasUsed: bigint, gasLimit: bigint): boolean => gasUsed * 100n >= gasLimit * 88n;

/** How many payments this much money carries at this price, each alone in its carrier: in company it is more. */
export const countPayments = (gasWei: bigint, gasPriceWei: bigint): bigint | undefined =>
  gasPriceWei > 0n ? gasWei / (ONE_CALL * gasPriceWei) : undefined;

/** What so many payments cost at this price, each alone in its carrier. */
export const costOf = (payments: bigint, gasPriceWei: bigint): bigint => payments * ONE_CALL * gasPriceWei;
