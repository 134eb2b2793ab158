import { formatUsdc } from '../../core/money.ts';
import { type LimitState, readLimits } from '../../customers/limits/readLimits.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Queryable } from '../../db/database.ts';
import type { Operation } from '../contract/createApi.ts';
import { refuseOthers } from './authorize.ts';

export const readLimitsOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const userId = call.params.user_id!;
    refuseOthers(call.caller as Caller | undefined, userId);
    const { kycStatus, tier, pausedBecause, limits, raisedBy, raisedTo } = await readLimits(app.db, userId);
    return {
      body: {
        user_id: userId,
        kyc_status: kycStatus,
        tier,
        can_pay: pausedBecause === null && limits.every(({ maximum }) => maximum !== 0n),
        paused: pausedBecause,
        limits: limits.map(({ limit, maximum, left, resetsAt }) => ({
          limit,
          unit: limit === 'count' ? 'payments' : 'USDC',
          maximum: render(limit, maximum),
          left: render(limit, left),
          resets_at: resetsAt?.toISOString() ?? null,
        })),
        raised_by: raisedBy,
        raised_to: raisedTo && {
          payment: render('payment', raisedTo.payment),
          day: render('day', raisedTo.day),
          month: render('month', raisedTo.month),
          count: render('count', raisedTo.count),
        },
      },
    };
  };

function render(limit: LimitState['limit'], value: bigint | null): string | null {
  if (value === null) return null;
  return limit === 'count' ? String(value) : formatUsdc(value);
}
