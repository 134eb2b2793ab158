/**
 * `users/` pays between people. A payment between people is one ledger transfer and final immediately. Called by
 * `http`. Read `payments/state.ts` first for the tables of this module, and `core/payment.ts` for the states and
 * shapes.
 */
import { createHash } from 'node:crypto';
import { type ErrorCode, PayError } from '../../core/errors.ts';
import { idFromKey, newId } from '../../core/ids.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import { renderAmounts } from '../../ledger/renderAmounts.ts';
import type { UserPayments } from './openUserPayments.ts';
import type { Paid, PayCommand, PayingKey, PayOutcome, Refused } from './payCommand.ts';

export interface SendToUser {
  readonly senderId: string;
  /** As typed. */
  readonly receiver: string;
  readonly amount: Usdc;
  /** For both people. */
  readonly note?: string | undefined;
  /** The cached session; the statement that pays checks that it is still valid. */
  readonly caller?: KnownCaller | undefined;
  /** Instead of a session. */
  readonly accountKey?: PayingKey | undefined;
  /** The Idempotency-Key. The same text from another caller, or on another route, is a different key. */
  readonly key?: { readonly caller: string; readonly route: string; readonly text: string } | undefined;
}

export interface SentToUser {
  /** The same key was decided earlier, and this is that answer again. */
  readonly replayed: boolean;
  readonly result: { readonly payment: Payment; readonly available: bigint } | { readonly refusal: PayError };
}

/**
 * Pays from one user to another: a ledger transfer, final when this returns. A refusal is returned, because under an
 * Idempotency-Key it is stored and replayed like a payment. After a throw nothing was decided.
 */
export function sendToUser(
  { userPayments }: { readonly userPayments: UserPayments },
  request: SendToUser,
): Promise<SentToUser> {
  const command = toCommand(request);
  return userPayments.submit(command).then((outcome) => {
    const sent = toSent(userPayments.blockchain, command, outcome);
    // Without a key the id is new and random: it can only have been decided by our own attempt before a lost
    // connection.
    return command.keyed ? sent : { replayed: false, result: sent.result };
  });
}

/** Converts the outcome of a payment. Throws if nothing was decided. */
export function toSent(blockchain: string, command: PayCommand, outcome: PayOutcome): SentToUser {
  const { before: replayed, result } = outcome;
  if (result === 'mismatch') throw new PayError('idempotency.mismatch');
  if (result.outcome === 'refused' && (result.code === 'auth.invalid' || result.code === 'auth.scope'))
    throw new PayError(result.code, result.details);
  if (result.outcome === 'refused') return { replayed, result: { refusal: toRefusal(result, command) } };
  const payment = toPayment(blockchain, command, result);
  return { replayed, result: { payment, available: result.available } };
}

export function toCommand({ senderId, receiver, amount, note, caller, accountKey, key }: SendToUser): PayCommand {
  const name = isUsername(receiver) ? receiver.toLowerCase() : undefined;
  return {
    paymentId: key ? idFromKey(key.caller, key.route, key.text) : newId(),
    keyed: key !== undefined,
    senderId,
    receiver: name,
    receiverText: name ?? `#${createHash('sha256').update(receiver).digest('hex')}`,
    amount,
    note,
    caller,
    accountKey,
  };
}

/** The error codes that the batch statement may return; the compiler checks that the error table has them. */
const REFUSALS = [
  'user.unknown',
  'username.unknown',
  'payment.self',
  'kyc.required',
  'balance.insufficient',
  'limit.exceeded',
  'service.paused',
  'user.paused',
  'money_request.unknown',
  'money_request.ended',
  'key.not_allowed',
  'key.limit_exceeded',
  'passkey.required',
] as const satisfies readonly ErrorCode[];

type Repeatable = Pick<PayCommand, 'paymentId' | 'keyed' | 'receiverId'>;

export function toRefusal(
  { code, details }: Refused,
  { paymentId, keyed, receiverId }: Partial<Repeatable> = {},
): PayError {
  const known = REFUSALS.find((one) => one === code);
  if (!known) throw new Error(`the ledger refused with ${code}, which is not in REFUSALS`);
  // The id of a payment that cannot be repeated is of no use.
  if (known === 'passkey.required' && paymentId && (keyed || receiverId !== undefined))
    return new PayError(known, { ...renderAmounts(details), payment_id: paymentId });
  // The amounts of a key's limits are already decimal.
  return new PayError(known, known === 'key.limit_exceeded' ? details : renderAmounts(details));
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
    paymentNote: paid.note,
  };
}
