import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';

/** One limit and how much of it the person has used. `count` is a number of payments, the others are amounts. */
export interface LimitState {
  readonly limit: 'payment' | 'day' | 'month' | 'count';
  /** Null: no limit. */
  readonly maximum: bigint | null;
  readonly left: bigint | null;
  /** When the oldest spending leaves the window; null when there is none in it. */
  readonly resetsAt: Date | null;
}

interface Limits {
  readonly kycStatus: string;
  readonly tier: string;
  /** Why an operator has paused this person's payments; null when they are not paused. */
  readonly pausedBecause: string | null;
  readonly limits: readonly LimitState[];
  readonly raisedBy: 'kyc' | 'operator';
  /** The limits after passing the identity check. */
  readonly raisedTo: Readonly<Record<LimitState['limit'], bigint | null>> | null;
}

interface LimitsRow {
  kyc_status: string;
  name: string;
  reason: string | null;
  payment_limit: bigint | null;
  day_limit: bigint | null;
  month_limit: bigint | null;
  day_payments: number | null;
  payments: bigint;
  day_spent: bigint;
  month_spent: bigint;
  day_resets_at: Date | null;
  month_resets_at: Date | null;
  is_verified: boolean;
  next_payment: bigint | null;
  next_day: bigint | null;
  next_month: bigint | null;
  next_count: number | null;
}

/** The counters of the last hour stay in the account's own row until the person spends in a later hour. */
const SELECT = `
  SELECT u.kyc_status, t.name, p.reason, t.payment_limit, t.day_limit, t.month_limit, t.day_payments,
         w.payments, w.day_spent, w.month_spent,
         to_timestamp((w.day_oldest + hours_counted('day') + 1)::bigint * 3600) AS day_resets_at,
         to_timestamp((w.month_oldest + hours_counted('month') + 1)::bigint * 3600) AS month_resets_at,
         t.tier = v.tier AS is_verified, v.payment_limit AS next_payment, v.day_limit AS next_day,
         v.month_limit AS next_month, v.day_payments AS next_count
    FROM users u
    LEFT JOIN LATERAL (
      SELECT * FROM accounts WHERE user_id = u.user_id
         AND asset_id = coalesce((SELECT home_asset FROM ledger_state), asset_id) ORDER BY account_id LIMIT 1) a ON true
    JOIN tiers t ON t.tier = coalesce(a.tier, (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = u.kyc_status))
    JOIN tiers v ON v.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved')
    LEFT JOIN pauses p ON p.scope = 'user:' || u.user_id
   CROSS JOIN LATERAL (
      SELECT coalesce(sum(s.payments) FILTER (WHERE s.today), 0)::bigint AS payments,
             coalesce(sum(s.spent) FILTER (WHERE s.today), 0)::bigint AS day_spent,
             coalesce(sum(s.spent), 0)::bigint AS month_spent,
             min(s.hour) FILTER (WHERE s.today) AS day_oldest, min(s.hour) AS month_oldest
        FROM (SELECT b.*, b.hour >= n.hour - hours_counted('day') AS today
                FROM (SELECT greatest(coalesce(a.hour, 0), hour_of(clock_timestamp()))) AS n(hour),
                     (SELECT hour, payments, spent FROM spendings WHERE account_id = a.account_id
                       UNION ALL SELECT a.hour, a.hour_payments, a.hour_spent) b
               WHERE b.hour >= n.hour - hours_counted('month') AND b.payments > 0) s) w
   WHERE u.user_id = $1`;

/** What a person may still spend now. Reads the same rows as the payment statement, without locks. */
export async function readLimits(db: Queryable, userId: string): Promise<Limits> {
  const [row] = await db.query<LimitsRow>(SELECT, [userId]);
  if (!row) throw new PayError('user.unknown');
  const count = row.day_payments === null ? null : BigInt(row.day_payments);
  return {
    kycStatus: row.kyc_status,
    tier: row.name,
    pausedBecause: row.reason,
    limits: [
      { limit: 'payment', maximum: row.payment_limit, left: row.payment_limit, resetsAt: null },
      toState('day', row.day_limit, row.day_spent, row.day_resets_at),
      toState('month', row.month_limit, row.month_spent, row.month_resets_at),
      toState('count', count, row.payments, row.day_resets_at),
    ],
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

function toState(limit: LimitState['limit'], maximum: bigint | null, used: bigint, resetsAt: Date | null): LimitState {
  // An operator may have lowered a limit below what was spent under the old one.
  const left = maximum === null ? null : maximum > used ? maximum - used : 0n;
  return { limit, maximum, left, resetsAt };
}
