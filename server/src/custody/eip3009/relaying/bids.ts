import { larger, smaller } from '../../../core/bigints.ts';
import type { Bid, Fees } from '../../../core/ports.ts';

const cap = ({ maxFeeWei, priorityFeeWei }: Bid, limit: bigint): Bid => {
  const fee = smaller(maxFeeWei, limit);
  return { maxFeeWei: fee, priorityFeeWei: smaller(priorityFeeWei, fee) };
};

export const firstBid = (fees: Fees, limit: bigint): Bid =>
  cap({ maxFeeWei: fees.maxFeePerGas, priorityFeeWei: fees.maxPriorityFeePerGas }, limit);

/** Blocks prefer others: the bid does not reach the base fee, or leaves a smaller tip than blocks require now. */
export const isTooLow = ({ maxFeeWei, priorityFeeWei }: Bid, fees: Fees): boolean =>
  smaller(priorityFeeWei, maxFeeWei - fees.baseFeePerGas) < fees.maxPriorityFeePerGas;

/**
 * Pools replace a transaction only if both values are at least ten per cent higher, rounded up. Undefined when the cap
 * does not allow it.
 */
export function raise(old: Bid, fees: Fees, limit: bigint): Bid | undefined {
  const more = (wei: bigint) => wei + (wei + 7n) / 8n + 1n;
  const raised = {
    maxFeeWei: larger(more(old.maxFeeWei), fees.maxFeePerGas),
    priorityFeeWei: larger(more(old.priorityFeeWei), fees.maxPriorityFeePerGas),
  };
  const bid = cap(raised, limit);
  const isTaken = bid.maxFeeWei * 10n >= old.maxFeeWei * 11n && bid.priorityFeeWei * 10n >= old.priorityFeeWei * 11n;
  return isTaken ? bid : undefined;
}

/**
 * For a node that refuses such a high fee: half of it, but never less than the next block needs, whose base fee is at
 * most an eighth higher. Undefined when that would not lower it by a fifth.
 */
export function lower(old: Bid, fees: Fees): Bid | undefined {
  const needed = fees.baseFeePerGas + fees.baseFeePerGas / 8n + fees.maxPriorityFeePerGas;
  const fee = larger(old.maxFeeWei / 2n, needed);
  if (fee * 5n > old.maxFeeWei * 4n) return undefined;
  return { maxFeeWei: fee, priorityFeeWei: smaller(old.priorityFeeWei, fee) };
}

/** To replace all of them, a bid must be raised from the highest. */
export const highest = (bids: readonly Bid[]): Bid => ({
  maxFeeWei: bids.map((one) => one.maxFeeWei).reduce(larger),
  priorityFeeWei: bids.map((one) => one.priorityFeeWei).reduce(larger),
});
