/** No one spends more than their tier allows, recomputed from the ledger's rows. */
import type { Row } from '../recorder.ts';
import type { State } from '../state.ts';
import { addedTo, amountOf, type Deed, type Law } from './law.ts';

/** Rows younger than this count for every limit, wherever hours begin. */
const SURELY_COUNTED_MS = 23 * 3_600_000;

interface Spent {
  readonly total: bigint;
  readonly payments: number;
}

/** Payments that people made themselves: neither refunds, nor what the chain had made before. */
function spendingsOf(state: State, userId: string): Row[] {
  const own = new Set(
    state
      .rows('accounts')
      .filter(({ user_id }) => user_id === userId)
      .map(({ account_id }) => account_id),
  );
  const imported = new Set(state.rows('unexplained_moves').map(({ imported_as }) => imported_as));
  return state
    .rows('transfers')
    .filter(({ kind, debit_account }) => ['user', 'hold'].includes(kind!) && own.has(debit_account!))
    .filter(({ transfer_id }) => !state.find('refunds', transfer_id) && !imported.has(transfer_id!));
}

function sumOf(state: State, userId: string): Spent {
  const released = new Set(
    state.rows('transfers').flatMap(({ kind, hold_id }) => (kind === 'release' ? [hold_id] : [])),
  );
  const from = Date.now() - SURELY_COUNTED_MS;
  const counted = spendingsOf(state, userId).filter(
    ({ transfer_id, created_at }) => !released.has(transfer_id!) && Date.parse(created_at!) >= from,
  );
  return { total: counted.reduce((sum, { amount }) => sum + amountOf(amount), 0n), payments: counted.length };
}

function checkTier(tier: Row, spent: Spent, largest: bigint): string | undefined {
  const exceeds = (value: bigint, limit: string | null | undefined) => limit != null && value > BigInt(limit);
  if (exceeds(largest, tier.payment_limit)) return `${largest} in one payment; the limit is ${tier.payment_limit}`;
  if (exceeds(spent.total, tier.day_limit)) return `${spent.total} in a day; the limit is ${tier.day_limit}`;
  if (exceeds(spent.total, tier.month_limit)) return `${spent.total} in a month; the limit is ${tier.month_limit}`;
  if (exceeds(BigInt(spent.payments), tier.day_payments))
    return `${spent.payments} payments; the limit is ${tier.day_payments}`;
  return undefined;
}

/** Checks the daily limit of a service key for the treasury: sends, and payout rows to people. */
function checkKeys({ before, after, changes }: Deed): string[] {
  const touched = new Set(
    changes.flatMap(
      (change) =>
        (change.table === 'payments' && !change.before && change.after?.key_id) ||
        (change.table === 'payout_items' && after.find('payouts', change.after?.payout_id)?.key_id) ||
        [],
    ),
  );
  const treasuries = new Set(
    after.rows('accounts').flatMap(({ kind, account_id }) => (kind === 'treasury' ? [account_id] : [])),
  );
  const released = new Set(
    after.rows('transfers').flatMap(({ kind, hold_id }) => (kind === 'release' ? [hold_id] : [])),
  );
  const keyOf = new Map<string | null | undefined, string | null | undefined>([
    ...after
      .rows('payout_items')
      .map((item) => [item.payment_id, after.find('payouts', item.payout_id)?.key_id] as const),
    ...after.rows('payments').map(({ payment_id, key_id }) => [payment_id, key_id] as const),
  ]);
  const limitOf = (state: State, key: string) => state.find('key_budgets', `${key} treasury`)?.day_limit;
  return [...touched].flatMap((key) => {
    const spent = after
      .rows('transfers')
      .filter(({ kind, debit_account }) => ['user', 'hold'].includes(kind!) && treasuries.has(debit_account!))
      .filter(({ transfer_id }) => keyOf.get(transfer_id) === key && !released.has(transfer_id!))
      .reduce((sum, { amount }) => sum + amountOf(amount), 0n);
    const day = limitOf(before, key);
    return day != null && spent > BigInt(day)
      ? [`key ${key} has spent ${spent} of the treasury; the limit is ${day}`]
      : [];
  });
}

export const limits: Law = (deed: Deed) => {
  const people = new Map<string, bigint>();
  for (const row of addedTo(deed, 'transfers')) {
    const userId = deed.after.find('accounts', row.debit_account)?.user_id;
    if (!userId || !spendingsOf(deed.after, userId).includes(row)) continue;
    const most = people.get(userId) ?? 0n;
    people.set(userId, amountOf(row.amount) > most ? amountOf(row.amount) : most);
  }
  const overspent = [...people].flatMap(([userId, largest]) => {
    // The tier may change in the same transaction, before or after the payment.
    const tiers = [deed.before, deed.after].flatMap((state) => {
      const account = state.rows('accounts').find(({ user_id }) => user_id === userId);
      return account ? [state.find('tiers', account.tier)!] : [];
    });
    const whys = tiers.map((tier) => checkTier(tier, sumOf(deed.after, userId), largest));
    return whys.every((why) => why !== undefined) ? [`user ${userId} has spent ${whys[0]}`] : [];
  });
  return [...overspent, ...checkKeys(deed)];
};
