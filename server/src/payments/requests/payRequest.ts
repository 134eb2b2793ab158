import { PayError } from '../../core/errors.ts';
import type { Usdc } from '../../core/money.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Queryable } from '../../db/database.ts';
import type { UserPayments } from '../users/openUserPayments.ts';
import type { PayingKey } from '../users/payCommand.ts';
import { type SentToUser, toSent } from '../users/sendToUser.ts';
import { getRequest } from './findRequest.ts';

interface PayRequest {
  readonly requestId: string;
  readonly caller: KnownCaller | { readonly userId: string };
  /** If the caller has no session. */
  readonly accountKey?: PayingKey | undefined;
}

/**
 * Pays a request: a payment between people like any other, in the same batches, with the request's id. It pays the
 * requester even if their name has changed. The values read here are not decisive: the statement that pays locks the
 * request and decides. A refusal is not stored, so the request can be paid later; a repeated payment gets its first
 * answer.
 */
export async function payRequest(
  app: { readonly db: Queryable; readonly userPayments: UserPayments },
  { requestId, caller, accountKey }: PayRequest,
): Promise<SentToUser> {
  const { askerId, amount, note } = await getRequest(app.db, requestId, caller.userId);
  if (askerId === caller.userId) throw new PayError('payment.self');
  const command = {
    paymentId: requestId,
    keyed: false,
    senderId: caller.userId,
    receiver: undefined,
    receiverId: askerId,
    receiverText: null,
    amount: amount as Usdc,
    caller: accountKey ? undefined : (caller as KnownCaller),
    accountKey,
  };
  const sent = toSent(app.userPayments.blockchain, command, await app.userPayments.submit(command));
  if ('refusal' in sent.result) return sent;
  // The request's note is the note of its payment: it was stored when the money was asked for.
  return { ...sent, result: { ...sent.result, payment: { ...sent.result.payment, paymentNote: note } } };
}
