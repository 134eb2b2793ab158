import { formatUsdc } from '../../core/money.ts';
import { type LimitState, type Limits, readLimits } from '../../customers/limits/readLimits.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import type { Operation } from '../contract/operation.ts';
import { CURRENCY } from '../currency.ts';
import { refuseOthers } from './authorize.ts';

export const readLimitsOperation =
  ({ read }: { readonly read: Read }): Operation =>
  async (call) => {
    const userId = call.params.user_id!;
    refuseOthers(call.caller as Caller | undefined, userId);
    return { body: renderLimits(userId, await read((db) => readLimits(db, userId, CURRENCY.symbol))) };
  };

export const renderLimits = (userId: string, { pausedBecause, limits, raisedTo, ...rest }: Limits) => ({
  user_id: userId,
  kyc_status: rest.kycStatus,
  tier: rest.tier,
  can_pay: pausedBecause === null && limits.every(({ maximum }) => maximum !== 0n),
  paused: pausedBecause,
  limits: limits.map(renderLimit),
  raised_by: rest.raisedBy,
  raised_to: raisedTo && {
    payment: render('payment', raisedTo.payment),
    day: render('day', raisedTo.day),
    month: render('month', raisedTo.month),
    count: render('count', raisedTo.count),
  },
});

export const renderLimit = ({ limit, maximum, left, resetsAt }: LimitState) => ({
  limit,
  unit: limit === 'count' ? 'payments' : CURRENCY.symbol,
  maximum: render(limit, maximum),
  left: render(limit, left),
  resets_at: resetsAt?.toISOString() ?? null,
});

function render(limit: LimitState['limit'], value: bigint | null): string | null {
  if (value === null) return null;
  return limit === 'count' ? String(value) : formatUsdc(value);
}
