import { PayError } from '../../core/errors.ts';
import { idFromKey } from '../../core/ids.ts';
import { formatUsdc, parseUsdc, type Usdc } from '../../core/money.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Queryable } from '../../db/database.ts';
import { isDecided } from '../../payments/read/findPayment.ts';
import type { UserPayments } from '../../payments/users/openUserPayments.ts';
import { isNameKnown, revealsName } from '../../payments/users/revealsName.ts';
import { type SendToUser, type SentToUser, sendToUser } from '../../payments/users/sendToUser.ts';
import { printPaid } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { ApiAnswer, ApiCall, Operation } from '../contract/operation.ts';
import { refuseOthers } from './authorize.ts';
import { findPayingKey } from './keys/keyOperations.ts';

interface SendUsdcBody {
  readonly sender_user_id: string;
  readonly receiver_username: string;
  readonly amount: JsonNumber;
  readonly payment_note: string | null;
}

interface SendUsdcApp {
  readonly db: Queryable;
  readonly userPayments: UserPayments;
  readonly names: NameQuota;
}

export const sendUsdcOperation =
  (app: SendUsdcApp): Operation =>
  (call) => {
    const {
      sender_user_id: senderId,
      receiver_username: receiver,
      amount: number,
      payment_note: note,
    } = call.body as unknown as SendUsdcBody;
    const caller = call.caller as KnownCaller | undefined;
    refuseOthers(caller, senderId);
    const text = parseIdempotencyKey(call.headers);
    // Without a credential (in the sandbox), the sender named in the body counts as the caller.
    const key = text === undefined ? undefined : { caller: senderId, route: call.route, text };
    let amount: Usdc;
    try {
      amount = parseUsdc(number.source);
    } catch (error) {
      return explainAmount(app.db, error, key);
    }
    const accountKey = findPayingKey(call);
    const session = accountKey ? undefined : caller;
    const request = { senderId, receiver, amount, note: note ?? undefined, caller: session, accountKey, key };
    // The sandbox works without a credential and has no limits.
    const isCounted = caller !== undefined;
    const sending =
      isCounted && app.names.left(senderId) <= 0 ? sendToKnown(app, call, request) : sendToUser(app, request);
    return sending.then((sent) =>
      isCounted && revealsName(sent) ? renderCounted(app, call, senderId, sent) : renderSent(sent, call.requestId),
    );
  };

/**
 * The quota of name lookups is used up. Only a name that the sender has paid before, or a payment that was already
 * decided, is still looked up.
 */
async function sendToKnown(app: SendUsdcApp, call: ApiCall, request: SendToUser): Promise<SentToUser> {
  if (!(await isNameKnown(app.db, request))) await app.names.spend(call, request.senderId);
  return sendToUser(app, request);
}

async function renderCounted(app: SendUsdcApp, call: ApiCall, senderId: string, sent: SentToUser): Promise<ApiAnswer> {
  await app.names.spend(call, senderId);
  return renderSent(sent, call.requestId);
}

/** The answer to the payer: the payment, the remaining balance, and an entry number for bookkeeping. */
export function renderSent({ replayed, result }: SentToUser, requestId: string): ApiAnswer {
  if ('refusal' in result) return refuse(result.refusal, replayed, requestId);
  const { payment, available } = result;
  const receipt = `rcpt_${payment.paymentId.replaceAll('-', '')}`;
  const after = `,"available":"${formatUsdc(available)}","receipt_id":"${receipt}"`;
  const body = printPaid(payment, '"success":true,', after);
  const headers = replayed ? REPLAYED : undefined;
  return {
    body,
    contentType: 'application/json',
    isAscii: payment.paymentNote == null,
    paymentId: payment.paymentId,
    headers,
  };
}

/** Always throws. If the key was used before, its stored answer comes first, even if the new amount is invalid. */
async function explainAmount(db: Queryable, error: unknown, key: SendToUser['key']): Promise<never> {
  if (!key || !(await isDecided(db, idFromKey(key.caller, key.route, key.text)))) throw error;
  throw new PayError('idempotency.mismatch', {}, { cause: error });
}
