import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { PaymentWaits } from '../../events/openPaymentWaits.ts';
import type { Destinations } from '../../payments/destinations/openDestinations.ts';
import type { SendToAddress } from '../../payments/sends/sendCommand.ts';
import { getAccepted, type SendApp, sendToAddress } from '../../payments/sends/sendToAddress.ts';
import { isFinal } from '../../payments/state.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import type { HeldAnswers } from '../connections/limitHeldAnswers.ts';
import type { ApiAnswer, ApiCall } from '../contract/operation.ts';
import { CURRENCY } from '../currency.ts';
import { findWait } from './findWait.ts';
import { holdAnswer } from './holdAnswer.ts';

/** The validated request. Each API determines the payer in its own way. */
interface SendAsked
  extends Pick<
    SendToAddress,
    'walletUsername' | 'walletId' | 'payerId' | 'sessionId' | 'serviceKeyId' | 'certificate' | 'client' | 'note'
  > {
  readonly blockchain: string;
  readonly destination: string;
  readonly amount: Usdc;
  /** The Idempotency-Key and its owner. */
  readonly key: { readonly caller: string; readonly text: string } | undefined;
}

export interface AcceptApp extends SendApp {
  readonly destinations: Destinations;
  readonly paymentWaits: PaymentWaits;
  readonly heldAnswers: HeldAnswers;
}

/**
 * Sends to an address, for both APIs: accepts the send, holds the answer if the caller prefers that, and renders it.
 */
export async function acceptSend(app: AcceptApp, call: ApiCall, asked: SendAsked): Promise<ApiAnswer> {
  const { key: given, ...rest } = asked;
  const key = given && { ...given, route: call.route };
  const sent = await sendToAddress(app, { ...rest, currency: CURRENCY.symbol, key }, app.destinations);
  const { replayed, result, payment: accepted } = sent;
  if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
  const waitSeconds = findWait(call.headers);
  const { payment, isHeld } =
    waitSeconds === undefined
      ? { payment: accepted ?? (await getAccepted(app, result.answer)), isHeld: false }
      : await waitForEnd(app, call, {
          paymentId: result.answer,
          accepted,
          seconds: waitSeconds,
          caller: asked.serviceKeyId ?? asked.payerId ?? call.address,
        });
  return {
    body: renderPayment(payment),
    paymentId: payment.paymentId,
    headers: {
      ...(replayed && REPLAYED),
      ...(isHeld && { 'Preference-Applied': `wait=${waitSeconds}` }),
    },
  };
}

interface Waiting {
  readonly paymentId: string;
  /** Undefined for a repeated request. */
  readonly accepted: Payment | undefined;
  readonly seconds: number;
  /** The caller whose limit of held answers applies. */
  readonly caller: string;
}

/**
 * Returns the payment when it is final, when the time is over or when the caller disconnects; immediately if the caller
 * holds too many answers.
 */
async function waitForEnd(
  { paymentWaits, heldAnswers }: AcceptApp,
  call: ApiCall,
  { paymentId, accepted, seconds, caller }: Waiting,
): Promise<{ readonly payment: Payment; readonly isHeld: boolean }> {
  const held = await holdAnswer(heldAnswers, call, caller, seconds, (until) =>
    paymentWaits.waitForEnd(paymentId, until),
  );
  const known = held?.result ?? accepted;
  const isHeld = held !== undefined;
  const isOver = !isHeld || call.connection.destroyed || (known && isFinal(known.state));
  return { payment: known && isOver ? known : await readLast(paymentWaits, paymentId, known), isHeld };
}

const LAST_READ_MS = 2_000;
/** For a repeated request whose payment was not read yet. */
const ONLY_READ_MS = 10_000;

/**
 * The reason a payment waits can change without an event, so the payment is read once more when the time is over. If
 * the database is unavailable, the caller gets the last known state instead of an error about an accepted payment.
 */
async function readLast(paymentWaits: PaymentWaits, paymentId: string, known: Payment | undefined): Promise<Payment> {
  const reading = paymentWaits.read(paymentId);
  const late = sleep(known ? LAST_READ_MS : ONLY_READ_MS, known, { ref: false });
  const payment = await Promise.race([known ? reading.catch(() => known) : reading, late]);
  if (!payment) throw new PayError('service.unavailable', { dependency: 'database' });
  return payment;
}
