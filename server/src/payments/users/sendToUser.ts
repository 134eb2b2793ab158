/**
 * `payments` is the life of a payment, one file per verb: `users/` between people, `sends/` to addresses, `read/` what
 * callers see of them. It writes `payments`, `payment_events`, `approvals`, `recipients` (by a trigger) and `refusals`;
 * money moves only through `ledger`. Called by `http`. A newcomer reads `core/payment.ts` for the states and
 * shapes, then this file.
 */
import { createHash } from 'node:crypto';
import { type ErrorCode, PayError } from '../../core/errors.ts';
import { idFromKey, newId } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import { renderAmounts } from '../../ledger/moveMoney.ts';
import type { UserPayments } from './openUserPayments.ts';
import type { Paid, PayCommand, Refused } from './payUsers.ts';

export interface SendToUser {
  readonly senderId: string;
  /** As it was typed. */
  readonly receiver: string;
  readonly amount: Usdc;
  /** Whose session asks, as remembered: it is confirmed by the statement that pays. */
  readonly caller?: KnownCaller | undefined;
  /** Who asks and by which route: an Idempotency-Key belongs to both. */
  readonly key?: { readonly caller: string; readonly route: string; readonly text: string } | undefined;
}

interface SentToUser {
  /** Decided earlier, under the same key: this is the first answer again. */
  readonly replayed: boolean;
  readonly result: { readonly payment: Payment; readonly available: bigint } | { readonly refusal: PayError };
}

const USERNAME = /^[A-Za-z0-9_]{3,30}$/;

/**
 * Pays from one user to another: a ledger transfer, final when this returns. Refusals are returned, not thrown,
 * because under a key they are answers too. What is thrown decided nothing.
 */
export async function sendToUser(
  app: { readonly userPayments: UserPayments },
  { senderId, receiver, amount, caller, key }: SendToUser,
): Promise<SentToUser> {
  const name = USERNAME.test(receiver) ? receiver.toLowerCase() : undefined;
  const command: PayCommand = {
    paymentId: key ? idFromKey(key.caller, key.route, key.text) : newId(),
    keyed: key !== undefined,
    senderId,
    receiver: name,
    receiverText: name ?? `#${createHash('sha256').update(receiver).digest('hex')}`,
    amount,
    caller,
  };
  const { before, result } = await app.userPayments.submit(command);
  if (result === 'mismatch') throw new PayError('idempotency.mismatch');
  if (result.outcome === 'refused' && result.code === 'auth.invalid') throw new PayError(result.code, result.details);
  // Without a key nobody else knows the id: it can only have been decided by our own run before a lost connection.
  const replayed = before && command.keyed;
  if (result.outcome === 'refused') return { replayed, result: { refusal: toRefusal(result) } };
  const payment = toPayment(app.userPayments.blockchain, command, result);
  return { replayed, result: { payment, available: result.available } };
}

/** What the batch statement may answer, so that the table of errors is sure to know it. */
const REFUSALS = [
  'user.unknown',
  'username.unknown',
  'payment.self',
  'kyc.required',
  'balance.insufficient',
  'limit.exceeded',
  'service.paused',
  'user.paused',
] as const satisfies readonly ErrorCode[];

function toRefusal({ code, details }: Refused): PayError {
  const known = REFUSALS.find((one) => one === code);
  if (!known) throw new Error(`the ledger refused with ${code}, which is no code of ours`);
  return new PayError(known, renderAmounts(details));
}

function toPayment(blockchain: string, { paymentId, amount }: PayCommand, paid: Paid): Payment {
  const at = new Date(paid.atMs);
  return {
    paymentId,
    state: 'COMPLETE',
    kind: 'user',
    amount,
    blockchain,
    from: { username: paid.from },
    to: { username: paid.to, ...(paid.typed !== null && { redirectedFrom: paid.typed }) },
    txHash: null,
    networkFee: null,
    errorReason: null,
    createdAt: at,
    updatedAt: at,
    timeline: [{ state: 'COMPLETE', at, txHash: null, note: null }],
  };
}
