/** Facts about the world that templates need, such as account ids, which PostgreSQL assigns. */
import type { Random } from '../../random.ts';
import type { State } from '../state.ts';
import { PEOPLE, userOf } from '../world/names.ts';

export interface Known {
  account(name: string, asset?: bigint): bigint;
  serviceAccount(kind: 'chain' | 'treasury' | 'fees' | 'loss', asset?: bigint): bigint;
  /** The names of people; those who can pay occur more often than the others. */
  anyone(random: Random): string;
}

export function knowWorld(baseline: State): Known {
  const accounts = baseline.rows('accounts');
  const find = (matches: (row: (typeof accounts)[number]) => boolean): bigint =>
    BigInt(accounts.find(matches)!.account_id!);
  return {
    account: (name, asset = 1n) => find((row) => row.user_id === userOf(name) && row.asset_id === String(asset)),
    serviceAccount: (kind, asset = 1n) => find((row) => row.kind === kind && row.asset_id === String(asset)),
    anyone: (random) => (random.chance(0.7) ? random.pick(PEOPLE.slice(0, 4)) : random.pick(PEOPLE)).name,
  };
}

const AMOUNTS = [
  1n,
  1_000_000n,
  2_500_000n,
  4_000_000n,
  15_000_000n,
  19_000_000n,
  60_000_000n,
  120_000_000n,
  149_000_000n,
];

/** Small ones, ones near the limits of the world's tiers, and a few beyond them. */
export const chooseAmount = (random: Random): bigint =>
  random.chance(0.9) ? random.pick(AMOUNTS) : random.pick([151_000_000n, 500_000_000n, 5_000_000_000n]);
