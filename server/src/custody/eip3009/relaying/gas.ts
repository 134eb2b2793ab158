import { formatCoins, formatUsdc } from '../../../core/money.ts';

/**
 * Gas of one call: measured 65,000 to 82,600 with the test token, to a recipient without a balance and with cold
 * storage; Circle's proxy adds a few thousand. We never ask a node for an estimate: for a batch that allows failure, it
 * returns the gas at which the calls fail. A call that ran out of gas gets more the next time
 * (`authorizations.call_gas`).
 */
export const CALL_GAS = 95_000n;
const BASE_GAS = 40_000n;
/** A call that needs more than this is given up: its gas is doubled four times. */
export const MAX_CALL_GAS = 16n * CALL_GAS;
/** Ethereum's limit for one chain transaction (EIP-7825). */
export const MAX_GAS_LIMIT = 16_777_216n;

/**
 * Computed from the gas of each call. A call gets at most 63/64 of the remaining gas, so the last one needs 1/63 more
 * than it uses.
 */
export const gasLimitOf = (calls: readonly bigint[]): bigint =>
  (calls.reduce((sum, gas) => sum + gas, BASE_GAS) * 64n) / 63n + 1n;

/** The gas of this many ordinary calls. */
export const usualGas = (calls: number): bigint[] => Array.from({ length: calls }, () => CALL_GAS);

/** The gas limit of a relay transaction with one ordinary call. */
export const ONE_CALL = gasLimitOf([CALL_GAS]);

/**
 * Returns how many of these calls, in order, fit into a relay transaction that costs at most `wei`; 0 if not even one.
 */
export function countAffordable(wei: bigint, maxFeeWei: bigint, calls: readonly bigint[]): number {
  let count = calls.length;
  const limit = () => gasLimitOf(calls.slice(0, count));
  while (count > 0 && (limit() * maxFeeWei > wei || limit() > MAX_GAS_LIMIT)) count--;
  return count;
}

/**
 * Whether calls of a mined relay transaction failed because it had too little gas. A call that runs out of gas uses
 * 63/64 of the rest. Up to a tenth of what the other calls used may have been refunded, for balances that became zero.
 */
export const isOutOfGas = (gasUsed: bigint, gasLimit: bigint): boolean => gasUsed * 100n >= gasLimit * 88n;

/** How many payments this balance pays for at this price, each in its own relay transaction. Batching pays for more. */
export const countPayments = (gasWei: bigint, gasPriceWei: bigint): bigint | undefined =>
  gasPriceWei > 0n ? gasWei / (ONE_CALL * gasPriceWei) : undefined;

/** The cost of this many payments at this price, each in its own relay transaction. */
export const costOf = (payments: bigint, gasPriceWei: bigint): bigint => payments * ONE_CALL * gasPriceWei;

/** What a relayer lacks, for operators. What it has is rounded down, so that the two amounts never look the same. */
export const describeShortage = (hasWei: bigint, needsWei: bigint): string =>
  `it has ${formatUsdc(hasWei / 10n ** 12n)} coins and needs ${formatCoins(needsWei)}`;
