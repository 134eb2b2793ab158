import { smaller } from '../../core/bigints.ts';

interface Net {
  readonly walletId: string;
  /** Positive: has coins that belong to others. Negative: is owed coins. */
  readonly surplus: bigint;
  /** What it could send now. */
  readonly free: bigint;
}

export interface NetMove {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/**
 * Moves that bring every surplus to zero, as far as free coins allow. Each move ends a giver or a taker, and the last
 * one both, so n wallets with a difference need at most n − 1, whatever number of payments made the differences.
 */
export function netWallets(wallets: readonly Net[]): NetMove[] {
  const bySize = (a: { left: bigint }, b: { left: bigint }) => (a.left < b.left ? 1 : a.left > b.left ? -1 : 0);
  const givers = wallets
    .map(({ walletId, surplus, free }) => ({ walletId, left: smaller(surplus, free) }))
    .filter(({ left }) => left > 0n)
    .sort(bySize);
  const takers = wallets
    .filter(({ surplus }) => surplus < 0n)
    .map(({ walletId, surplus }) => ({ walletId, left: -surplus }))
    .sort(bySize);
  const moves: NetMove[] = [];
  for (let g = 0, t = 0; g < givers.length && t < takers.length; ) {
    const giver = givers[g]!;
    const taker = takers[t]!;
    const amount = smaller(giver.left, taker.left);
    moves.push({ from: giver.walletId, to: taker.walletId, amount });
    giver.left -= amount;
    taker.left -= amount;
    if (giver.left === 0n) g++;
    if (taker.left === 0n) t++;
  }
  return moves;
}
