import type { LimitState } from '../../customers/limits/readLimits.ts';
import type { UserPayments } from './openUserPayments.ts';
import { type SendToUser, toCommand, toRefusal } from './sendToUser.ts';

/** The effect that a payment to a person would have now. */
interface UserPreview {
  /** The receiver's current name. */
  readonly username: string;
  /** The old name that was requested, if it led to this one. */
  readonly redirectedFrom: string | null;
  readonly available: bigint;
  readonly limits: readonly LimitState[];
}

/** Throws the refusal that the payment would get: the same statement decides and is rolled back. Nothing is paid. */
export async function previewToUser(
  app: { readonly userPayments: UserPayments },
  request: Pick<SendToUser, 'senderId' | 'receiver' | 'amount'>,
): Promise<UserPreview> {
  const found = await app.userPayments.preview(toCommand(request));
  if (found.outcome === 'refused') throw toRefusal(found);
  const { to: username, typed: redirectedFrom, available, limits } = found;
  return { username, redirectedFrom, available, limits };
}
