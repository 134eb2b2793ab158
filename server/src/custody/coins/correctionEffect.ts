import type { Queryable } from '../../db/database.ts';
import { outside } from './pauseOnDrift.ts';

/** Differences between chain, counted coins and ledger, as this database knows them. All are zero if nothing differs. */
export interface Differences {
  /** Counted coins minus what the ledger owes. */
  readonly counted: bigint;
  /** Coins on the chain that are not counted, as two polls of reconciliation have seen; of all wallets. */
  readonly surplus: bigint;
  /** Minus the counted coins that are not on the chain, as two polls have seen; of all wallets. */
  readonly missing: bigint;
  /** The surplus of the named wallet, or minus its missing coins; 0 without a wallet. */
  readonly ofWallet: bigint;
}

export async function readDifferences(db: Queryable, assetId: number, walletId?: string): Promise<Differences> {
  const [row] = await db.query<Differences>(
    `SELECT (SELECT coalesce(sum(h.coins), 0) FROM holdings h WHERE h.asset_id = $1)::bigint + ${outside('$1')} AS counted,
            coalesce(sum(d.difference) FILTER (WHERE d.difference > 0), 0)::bigint AS surplus,
            coalesce(sum(d.difference) FILTER (WHERE d.difference < 0), 0)::bigint AS missing,
            coalesce(sum(d.difference) FILTER (WHERE d.subject = 'wallet ' || $2), 0)::bigint AS "ofWallet"
       FROM drifts d WHERE d.asset_id = $1 AND d.subject LIKE 'wallet %' AND d.looks >= 2`,
    [assetId, walletId ?? null],
  );
  return row!;
}

/**
 * The differences after a correction, as `book_correction` books it. With a wallet, its owner and `loss` bear it, so
 * the ledger owes as much as before, except for coins that are counted now.
 */
export function applyCorrection(before: Differences, amount: bigint, hasWallet: boolean): Differences {
  const [sign, size] = amount > 0n ? [1n, amount] : [-1n, -amount];
  const known = hasWallet ? 0n : atLeastZero(sign * before.counted);
  const rest = atLeastZero(size - known);
  const recorded = hasWallet ? sign * before.ofWallet : sign > 0n ? before.surplus : -before.missing;
  const coins = rest <= recorded ? sign * rest : 0n;
  const owed = hasWallet ? coins : amount;
  return {
    counted: before.counted + coins - owed,
    surplus: before.surplus - (sign > 0n ? coins : 0n),
    missing: before.missing - (sign < 0n ? coins : 0n),
    ofWallet: hasWallet ? before.ofWallet - coins : before.ofWallet,
  };
}

/** Whether it makes a difference larger, or one in the other direction. */
export const createsDifference = (before: Differences, after: Differences): boolean =>
  (['counted', 'surplus', 'missing'] as const).some((name) => !isBetween(after[name], before[name]));

/** From zero to `end`. */
const isBetween = (one: bigint, end: bigint): boolean => (end < 0n ? one >= end && one <= 0n : one <= end && one >= 0n);

const atLeastZero = (one: bigint): bigint => (one > 0n ? one : 0n);
