/**
 * The sums of a statement. Each balance follows from the balance of today: what a payment has changed, after the period
 * or in it, is taken back. So the sums are exact, also while payments are under way. What has ended unpaid has changed
 * nothing.
 */
import { fromMicros, type Transaction, toMicros } from '@florin/client';
import { describePayment } from './describePayment.ts';

export interface Entry {
  readonly payment: Transaction;
  readonly isIncoming: boolean;
  readonly isVoid: boolean;
  /** What it has changed in the balance, in millionths. */
  readonly change: bigint;
}

export interface Summary {
  readonly blockchain: string;
  readonly before: string;
  readonly received: string;
  readonly paid: string;
  readonly after: string;
}

export const toEntry = (payment: Transaction, own: string | null): Entry => {
  const { isIncoming, isVoid } = describePayment(payment, own);
  const micros = toMicros(payment.amount);
  return { payment, isIncoming, isVoid, change: isVoid ? 0n : isIncoming ? micros : -micros };
};

const sum = (entries: readonly Entry[]): bigint => entries.reduce((total, { change }) => total + change, 0n);

/** Per blockchain with payments or money. `entries` are all since the beginning of the period. */
export function summarize(
  balances: readonly { readonly blockchain: string; readonly available: string }[],
  entries: readonly Entry[],
  isInPeriod: (entry: Entry) => boolean,
): Summary[] {
  const known = new Map(balances.map(({ blockchain, available }) => [blockchain, toMicros(available)]));
  for (const { payment } of entries) if (!known.has(payment.blockchain)) known.set(payment.blockchain, 0n);
  return [...known].flatMap(([blockchain, today]) => {
    const here = entries.filter(({ payment }) => payment.blockchain === blockchain);
    const inside = here.filter(isInPeriod);
    const after = today - sum(here.filter((one) => !isInPeriod(one)));
    const before = after - sum(inside);
    if (inside.length === 0 && before === 0n && after === 0n) return [];
    const received = sum(inside.filter(({ isIncoming }) => isIncoming));
    const paid = -sum(inside.filter(({ isIncoming }) => !isIncoming));
    return { blockchain, ...mapAmounts({ before, received, paid, after }) };
  });
}

const mapAmounts = (sums: Readonly<Record<'before' | 'received' | 'paid' | 'after', bigint>>) => ({
  before: fromMicros(sums.before),
  received: fromMicros(sums.received),
  paid: fromMicros(sums.paid),
  after: fromMicros(sums.after),
});
