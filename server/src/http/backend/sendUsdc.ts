import { PayError } from '../../core/errors.ts';
import { idFromKey } from '../../core/ids.ts';
import { formatUsdc, parseUsdc, type Usdc } from '../../core/money.ts';
import type { RecalledCaller } from '../../customers/openCallers.ts';
import type { Queryable } from '../../db/database.ts';
import { isDecided } from '../../payments/findPayment.ts';
import type { UserPayments } from '../../payments/openUserPayments.ts';
import { type SendToUser, sendToUser } from '../../payments/sendToUser.ts';
import type { Operation } from '../contract/createApi.ts';
import type { JsonNumber } from '../contract/json.ts';
import { parseIdempotencyKey } from '../parseIdempotencyKey.ts';
import { renderPayment } from '../renderPayment.ts';
import { REPLAYED, refuse } from '../renderReplay.ts';
import { refuseOthers } from './authorize.ts';

interface SendUsdcBody {
  readonly sender_user_id: string;
  readonly receiver_username: string;
  readonly amount: JsonNumber;
}

export const sendUsdcOperation =
  (app: { readonly db: Queryable; readonly userPayments: UserPayments }): Operation =>
  async (call) => {
    const {
      sender_user_id: senderId,
      receiver_username: receiver,
      amount: number,
    } = call.body as unknown as SendUsdcBody;
    const caller = call.caller as RecalledCaller | undefined;
    refuseOthers(caller, senderId);
    const text = parseIdempotencyKey(call.headers);
    // Without a credential (in the sandbox) the caller is whoever they say they pay for.
    const key = text === undefined ? undefined : { caller: senderId, route: call.route, text };
    const amount = await parseAmount(app.db, number, key);
    const request = { senderId, receiver, amount, key, tokenHash: caller?.tokenHash };
    const { replayed, result } = await sendToUser(app, request).catch((error) => {
      if (error instanceof PayError && error.code === 'auth.invalid') caller?.forget();
      throw error;
    });
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    const { payment, available } = result;
    const body = {
      success: true,
      ...renderPayment(payment),
      available: formatUsdc(available),
      receipt_id: `rcpt_${payment.paymentId.replaceAll('-', '')}`,
    };
    return replayed ? { body, headers: REPLAYED } : { body };
  };

/** A key that has been used is told so, also when the new amount is one that could never be paid. */
async function parseAmount(db: Queryable, number: JsonNumber, key: SendToUser['key']): Promise<Usdc> {
  try {
    return parseUsdc(number.source);
  } catch (error) {
    if (!key || !(await isDecided(db, idFromKey(key.caller, key.route, key.text)))) throw error;
    throw new PayError('idempotency.mismatch', {}, { cause: error });
  }
}
