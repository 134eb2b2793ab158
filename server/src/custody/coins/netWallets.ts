import { smaller } from '../../core/bigints.ts';

interface Net {
  readonly walletId: string;
  /** Positive: the wallet has coins that belong to others. Negative: coins are missing. */
  readonly surplus: bigint;
  /** The coins that it could send now. */
  readonly free: bigint;
}

export interface NetMove {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

interface Netting {
  readonly moves: readonly NetMove[];
  /** Wallets that still have a surplus or a deficit of at least `least`. */
  readonly left: readonly string[];
}

/**
 * Plans moves that bring every surplus to zero, as far as free coins allow. Each move completes a giver or a taker, and
 * the last one completes both, so n wallets with a difference need at most n − 1 moves, however many payments caused
 * the differences. No move is smaller than `least`: a wallet with a smaller difference waits until it adds up.
 */
export function netWallets(wallets: readonly Net[], least = 1n): Netting {
  const bySize = (a: { left: bigint }, b: { left: bigint }) => (a.left < b.left ? 1 : a.left > b.left ? -1 : 0);
  const isWorth = ({ left }: { left: bigint }) => left >= least;
  const givers = wallets
    .filter(({ surplus }) => surplus > 0n)
    .map(({ walletId, surplus, free }) => ({ walletId, left: smaller(surplus, free), surplus }))
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
    if (amount >= least) {
      moves.push({ from: giver.walletId, to: taker.walletId, amount });
      giver.left -= amount;
      taker.left -= amount;
      giver.surplus -= amount;
    }
    if (!isWorth(giver)) g++;
    if (!isWorth(taker)) t++;
  }
  const stuck = givers.filter(({ surplus }) => surplus >= least);
  return { moves, left: [...stuck, ...takers.filter(isWorth)].map(({ walletId }) => walletId) };
}
