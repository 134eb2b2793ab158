import { errorTable, PayError } from '../../core/errors.ts';
import { addressKey } from '../../core/families.ts';
import { idFromKey, newId } from '../../core/ids.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import { findPaid } from '../../custody/findPaid.ts';
import { getFundingWallet } from '../../customers/wallets/findFundingWallet.ts';
import type { Db, Tx } from '../../db/database.ts';
import { hashNote, hashRequest, isAnswered, type Replayable, replayOrRun, toResult } from '../../db/idempotency.ts';
import { type Screening, screenSend } from '../destinations/screenDestinations.ts';
import { findPayment } from '../read/findPayment.ts';
import { importPayment } from '../tracking/importPayment.ts';
import type { Sends } from './openSends.ts';
import type { SendToAddress } from './sendCommand.ts';

export interface SendApp {
  readonly db: Db;
  readonly sends: Sends;
}

interface SentToAddress extends Replayable<string> {
  /** The payment that the answer shows, if it was accepted just now. */
  readonly payment?: Payment;
}

/**
 * Accepts a payment to an address: its hold, its row and its job are one commit. From here on it is carried out, even
 * if a process crashes. With a key, the answer is stored in the same commit. Returns the payment's id. After a throw
 * nothing was decided, except after `service.unavailable`: the connection may have been lost after the commit, and
 * repeating the request with its key shows the outcome.
 */
export async function sendToAddress(
  app: SendApp,
  request: SendToAddress,
  destinations?: Screening,
): Promise<SentToAddress> {
  const { key } = request;
  const paymentId = key ? idFromKey(key.caller, key.route, key.text) : newId();
  const hash = key && hashOf(request, key.text);
  const screen: AskAbout = async (asks) => {
    try {
      if (destinations) await screenSend(destinations, request, asks);
    } catch (error) {
      // A repeated request gets its first answer, even if the address would be refused now.
      if (!(key && error instanceof PayError && (await isAnswered(app.db, paymentId)))) throw error;
    }
  };
  const decision = await decideScreened(app.sends, request, screen, (asked) =>
    app.sends.submit({ paymentId, request: asked, hash }),
  );
  switch (decision.outcome) {
    case 'accepted':
      return { replayed: false, result: { answer: paymentId }, payment: decision.payment };
    case 'known':
      return { replayed: false, result: { answer: paymentId } };
    case 'refused':
      // A refusal that may be temporary is not stored, so nothing was decided.
      if (!key || errorTable[decision.refusal.code].retryable) throw decision.refusal;
      return { replayed: false, result: { refusal: decision.refusal } };
    case 'replayed':
      return { replayed: true, result: toResult(decision.stored) };
    case 'paid':
      return app.db.tx((tx) =>
        replayOrRun(tx, { caller: key!.caller, route: key!.route, key: key!.text, hash: hash! }, () =>
          recognize(tx, paymentId, request),
        ),
      );
    case 'mismatch':
      throw new PayError('idempotency.mismatch');
    case 'ask':
      throw new Error(`payment ${paymentId}: the token was already asked about its destination`);
    case 'in_progress':
      throw new PayError('idempotency.in_progress');
  }
}

/** Throws when the destination is refused. */
type AskAbout = (asks: readonly ('screen' | 'token')[]) => Promise<void>;

/**
 * Screens the destination before the decision. The token is asked at the same time, or after the decision if the statement
 * says that it must be asked.
 */
export async function decideScreened<Decision extends { readonly outcome: string }>(
  sends: Pick<Sends, 'mustAsk'>,
  request: SendToAddress,
  screen: AskAbout,
  decide: (request: SendToAddress) => Promise<Decision>,
): Promise<Decision> {
  const isUnchecked = !sends.mustAsk(request.blockchain);
  await screen(isUnchecked ? ['screen'] : ['screen', 'token']);
  const decision = await decide({ ...request, isUnchecked });
  if (decision.outcome !== 'ask') return decision;
  await screen(['token']);
  return decide(request);
}

/** Payer fields are empty when people pay for themselves, because the key already identifies them. */
const hashOf = (request: SendToAddress, key: string): Uint8Array =>
  hashRequest(
    addressKey(request.destination),
    formatUsdc(request.amount),
    request.blockchain,
    request.walletUsername?.toLowerCase() ?? null,
    request.walletId?.toLowerCase() ?? null,
    ...hashNote(key, request.note),
  );

/**
 * This database was restored to a time before the payment, and the chain has paid it under the same id. It is recorded
 * as paid, regardless of any pause, and nothing is paid again.
 */
async function recognize(tx: Tx, paymentId: string, request: SendToAddress): Promise<string> {
  const paid = await findPaid(tx, paymentId);
  // The block that paid it was just replaced: the next attempt decides again.
  if (!paid) throw new PayError('idempotency.in_progress');
  const walletId = await getFundingWallet(tx, paid.assetId, request);
  const isSame =
    paid.blockchain === request.blockchain &&
    addressKey(paid.toAddress) === addressKey(request.destination) &&
    paid.amount === request.amount;
  if (!isSame || paid.walletId !== walletId) throw new PayError('idempotency.mismatch');
  if (paid.importedAs !== null) return paid.importedAs;
  const imported = await importPayment(tx, paymentId, paid);
  // It went to a wallet of ours that is still being read.
  if (!imported) throw new PayError('service.unavailable', { dependency: 'custody' });
  return imported.importedAs;
}

/** The payment as it was when it was accepted: the contents of the first answer under its key. */
export async function getAccepted(app: { readonly db: Db }, paymentId: string): Promise<Payment> {
  const payment = await findPayment(app.db, paymentId);
  if (!payment) throw new Error(`payment ${paymentId} was accepted and is gone`);
  return {
    ...payment,
    state: 'INITIATED',
    txHash: null,
    networkFee: null,
    errorReason: null,
    updatedAt: payment.createdAt,
    // A payment that was imported from the chain after a restore was never INITIATED here.
    timeline: [payment.timeline.find((step) => step.state === 'INITIATED') ?? payment.timeline[0]!],
  };
}
