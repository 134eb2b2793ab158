import { setTimeout as sleep } from 'node:timers/promises';
import { idFromKey } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { Db } from '../../db/database.ts';
import { isAnswered } from '../../db/idempotency.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import type { SendToAddress } from '../../payments/sends/sendCommand.ts';
import { getAccepted, type SendApp, sendToAddress } from '../../payments/sends/sendToAddress.ts';
import { isFinal } from '../../payments/state.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import type { ApiAnswer, ApiCall } from '../contract/createApi.ts';
import { findWait } from './findWait.ts';
import type { Destinations } from './openDestinations.ts';

/** What a call asks for, validated; who pays is told by each API in its own way. */
interface SendAsked
  extends Pick<
    SendToAddress,
    'walletUsername' | 'walletId' | 'payerId' | 'sessionId' | 'serviceKeyId' | 'certificate' | 'client'
  > {
  readonly blockchain: string;
  readonly destination: ReturnType<Destinations['parse']>;
  readonly amount: Usdc;
  /** The Idempotency-Key, and whose it is. */
  readonly key: { readonly caller: string; readonly text: string } | undefined;
}

const LOOK_EVERY_MS = 150;

/** Sends to an address, for both APIs: accepts it, holds the answer if that is preferred, and renders it. */
export async function acceptSend(app: SendApp, call: ApiCall, asked: SendAsked): Promise<ApiAnswer> {
  const { destination, key: given, ...rest } = asked;
  const key = given && { ...given, route: call.route };
  const sent = await sendToAddress(app, { ...rest, destination: destination.address, key }, async () => {
    const refusal = await destination.findRefusal();
    // A repeated request gets its first answer, even if the token would refuse the address by now.
    if (refusal && !(key && (await isAnswered(app.db, idFromKey(key.caller, key.route, key.text))))) throw refusal;
  });
  const { replayed, result, payment: accepted } = sent;
  if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
  const waitSeconds = findWait(call.headers);
  const payment =
    waitSeconds === undefined
      ? (accepted ?? (await getAccepted(app, result.answer)))
      : await follow(app.db, result.answer, waitSeconds, call.connection);
  return {
    body: renderPayment(payment),
    paymentId: payment.paymentId,
    headers: {
      ...(replayed && REPLAYED),
      ...(waitSeconds !== undefined && { 'Preference-Applied': `wait=${waitSeconds}` }),
    },
  };
}

/** Until the payment is final, the time is over, or the caller has hung up. */
async function follow(
  db: Db,
  paymentId: string,
  seconds: number,
  connection: { readonly destroyed: boolean },
): Promise<Payment> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const payment = await readPayment(db, paymentId);
    if (!payment) throw new Error(`payment ${paymentId} was accepted and is gone`);
    if (isFinal(payment.state) || performance.now() >= until || connection.destroyed) return payment;
    await sleep(LOOK_EVERY_MS);
  }
}
