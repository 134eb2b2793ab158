import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';

/** One limit and how much of it is left. `count` is a number of payments; the others are amounts. */
export interface LimitState {
  readonly limit: 'payment' | 'day' | 'month' | 'count';
  /** Null: no limit. */
  readonly maximum: bigint | null;
  readonly left: bigint | null;
  /** When the oldest spending leaves the window; null when the window is empty. */
  readonly resetsAt: Date | null;
}

export interface Limits {
  readonly kycStatus: string;
  readonly tier: string;
  /** Why this person's payments are paused, in words for customers; null when they are not paused. */
  readonly pausedBecause: string | null;
  readonly limits: readonly LimitState[];
  readonly raisedBy: 'kyc' | 'operator';
  /** The limits after passing the identity check. */
  readonly raisedTo: Readonly<Record<LimitState['limit'], bigint | null>> | null;
}

interface UsedRow {
  payment_limit: bigint | null;
  day_limit: bigint | null;
  month_limit: bigint | null;
  day_payments: number | null;
  payments: bigint;
  day_spent: bigint;
  month_spent: bigint;
  day_resets_at: Date | null;
  month_resets_at: Date | null;
}

interface LimitsRow extends UsedRow {
  kyc_status: string;
  name: string;
  reason: string | null;
  is_verified: boolean;
  next_payment: bigint | null;
  next_day: bigint | null;
  next_month: bigint | null;
  next_count: number | null;
}

/** Reads how much of a currency a person may still spend now. */
export async function readLimits(db: Queryable, userId: string, currency: string): Promise<Limits> {
  const [row] = await db.query<LimitsRow>('SELECT * FROM limits_left($1, $2)', [userId, currency]);
  if (!row) throw new PayError('user.unknown');
  return {
    kycStatus: row.kyc_status,
    tier: row.name,
    pausedBecause: row.reason,
    limits: toStates(row),
    raisedBy: row.is_verified ? 'operator' : 'kyc',
    raisedTo: row.is_verified
      ? null
      : {
          payment: row.next_payment,
          day: row.next_day,
          month: row.next_month,
          count: row.next_count === null ? null : BigInt(row.next_count),
        },
  };
}

/** A row of `limits_left` inside JSON. Every value is text, because JavaScript would read numbers as floats. */
export type LimitsText = Readonly<Record<keyof UsedRow, string | null>>;

export function parseLimits(text: LimitsText): LimitState[] {
  const find = (name: keyof UsedRow) => (text[name] === null ? null : BigInt(text[name]));
  const findTime = (name: keyof UsedRow) => (text[name] === null ? null : new Date(text[name]));
  return toStates({
    payment_limit: find('payment_limit'),
    day_limit: find('day_limit'),
    month_limit: find('month_limit'),
    day_payments: text.day_payments === null ? null : Number.parseInt(text.day_payments, 10),
    payments: find('payments') ?? 0n,
    day_spent: find('day_spent') ?? 0n,
    month_spent: find('month_spent') ?? 0n,
    day_resets_at: findTime('day_resets_at'),
    month_resets_at: findTime('month_resets_at'),
  });
}

function toStates(row: UsedRow): LimitState[] {
  const count = row.day_payments === null ? null : BigInt(row.day_payments);
  return [
    { limit: 'payment', maximum: row.payment_limit, left: row.payment_limit, resetsAt: null },
    toState('day', row.day_limit, row.day_spent, row.day_resets_at),
    toState('month', row.month_limit, row.month_spent, row.month_resets_at),
    toState('count', count, row.payments, row.day_resets_at),
  ];
}

function toState(limit: LimitState['limit'], maximum: bigint | null, used: bigint, resetsAt: Date | null): LimitState {
  // An operator may have lowered a limit below the amount already spent.
  const left = maximum === null ? null : maximum > used ? maximum - used : 0n;
  return { limit, maximum, left, resetsAt };
}
