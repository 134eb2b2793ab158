/**
 * `core` is the shared vocabulary of all modules: money, ids, states, errors and the types of the ports. It has no tables,
 * uses no network and imports no other module. Every module may import it.
 *
 * This file is the only table of errors that a caller can get. The meaning of a code never changes, because clients
 * branch on it. A new code does not compile without its status, its retry rule and its sentences. Its page under
 * `docs/errors/` is generated from the same row.
 */
import { accountErrors } from './errorRows/accountErrors.ts';
import { credentialErrors } from './errorRows/credentialErrors.ts';
import { passkeyErrors } from './errorRows/passkeyErrors.ts';
import { payoutErrors } from './errorRows/payoutErrors.ts';
import { webhookErrors } from './errorRows/webhookErrors.ts';
import { wireErrors } from './errorRows/wireErrors.ts';

interface ErrorRow {
  readonly status: number;
  /** May the same request succeed later, unchanged? */
  readonly retryable: boolean;
  /** Stable, short, the `title` of the problem document. */
  readonly title: string;
  /** The text of `detail`, for people; `{name}` is filled from the error's details. */
  readonly detail: string;
  /** For the documentation page: what to do about it. */
  readonly remedy: string;
}

export const errorTable = {
  ...credentialErrors,
  ...passkeyErrors,
  'user.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown user',
    detail: 'There is no user with that id.',
    remedy: 'Use the `user_id` that `POST /api/v1/login` returned.',
  },
  'session.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown session',
    detail: 'You have no session with that id.',
    remedy: 'List your sessions with `GET /api/v1/sessions`.',
  },
  'kyc.final': {
    status: 409,
    retryable: false,
    title: 'The identity check was refused permanently',
    detail: 'The identity check was refused permanently and cannot be repeated.',
    remedy: 'Contact the operator of this service. If a check can be repeated, its status has `can_retry`.',
  },
  'kyc.required': {
    status: 403,
    retryable: false,
    title: 'An identity check is required',
    detail: 'People whose identity check is "{kyc_status}" cannot pay.',
    remedy:
      'Pass the check: `POST /api/v1/kyc/applicant`, then `POST /api/v1/kyc/access-token`. After a final refusal, contact the operator of this service.',
  },
  'username.invalid': {
    status: 400,
    retryable: false,
    title: 'Invalid username',
    detail: 'A username has 3 to 30 characters: letters a to z, digits and underscores.',
    remedy: 'Upper case is converted to lower case. Anything else outside `^[a-z0-9_]{3,30}$` is refused.',
  },
  'username.taken': {
    status: 409,
    retryable: false,
    title: 'The username is taken',
    detail: 'That username is taken or reserved, or is too similar to one that is.',
    remedy:
      'Choose another username. Names that differ only in `rn`/`m`, `0`/`o`, `1`/`l` or underscores count as the same. A name that its owner gave up stays reserved for them for 90 days.',
  },
  'username.cooldown': {
    status: 409,
    retryable: true,
    title: 'The username was changed recently',
    detail: 'The username was changed recently; it can be changed again at {available_at}.',
    remedy: 'Wait until `available_at`. Choosing the first name and correcting it once are always allowed.',
  },
  'amount.precision': {
    status: 400,
    retryable: false,
    title: 'The amount is too precise',
    detail: 'USDC has {decimals} decimals; the amount has more. Send {nearest} if that is what you mean.',
    remedy:
      'Round the amount yourself; Florin never rounds. `nearest` is the nearest amount that can be paid. The notation does not matter: `1.0000000` is accepted. To send exact amounts, calculate in millionths or with a decimal type and write a JSON number. Florin reads its digits as they are written, so `0.1` is exactly one tenth. Sums of floats can have too many digits (`0.1 + 0.2`), and a string (`"0.1"`) is refused with 422.',
  },
  'amount.too_large': {
    status: 400,
    retryable: false,
    title: 'The amount is too large',
    detail: 'The largest amount of one payment is {largest} USDC.',
    remedy: 'Split the payment.',
  },
  'blockchain.unsupported': {
    status: 400,
    retryable: false,
    title: 'The blockchain is not configured',
    detail: 'This service is not connected to the blockchain {blockchain}.',
    remedy: 'Send on a blockchain that this service is connected to.',
  },
  'address.invalid': {
    status: 400,
    retryable: false,
    title: 'Invalid destination address',
    detail: 'The destination cannot be paid: {reason}.',
    remedy:
      '`reason` is `form` (0x and 40 hexadecimal digits; on Solana 32 bytes in base58, on Aptos 0x and up to 64 digits), `checksum` (mixed case that does not match EIP-55: check every character of the address), `zero` or `token_contract`.',
  },
  'address.blocked': {
    status: 403,
    retryable: false,
    title: 'The token refuses this address',
    detail: 'The USDC contract has blacklisted {party}, so the payment would fail. Nothing was paid.',
    remedy:
      '`party` is `the destination` or `the funding wallet`. Only the issuer of USDC can remove an address from the blacklist.',
  },
  'address.lookalike': {
    status: 409,
    retryable: false,
    title: 'The address resembles one that this wallet has paid, but is different',
    detail:
      'The destination begins and ends like an address that this wallet has paid before, but it is a different address. Nothing was held or paid.',
    remedy:
      'This may be address poisoning: an attacker creates an address with the same first and last four digits and waits until someone copies it from a payment history. Ask the recipient for the address again and compare every character. This wallet can never pay the refused address.',
  },
  'wallet.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown wallet',
    detail: 'There is no wallet with that id.',
    remedy: 'Use the `wallet_id` that `POST /api/v1/login` returned.',
  },
  'wallet.pending': {
    status: 409,
    retryable: true,
    title: 'Your wallet is not ready yet',
    detail: 'Your wallet is still being created. Nothing was held or paid.',
    remedy:
      'Repeat the call after `Retry-After` seconds. Logging in again also requests the wallet again. Payments by username need no wallet.',
  },
  'wallet.unspecified': {
    status: 400,
    retryable: false,
    title: 'No funding wallet',
    detail: 'The request names no funding wallet, and this service has no treasury wallet to fall back on.',
    remedy: 'Name one with `funding_wallet_id` or `wallet_username`.',
  },
  'idempotency.invalid': {
    status: 400,
    retryable: false,
    title: 'Invalid Idempotency-Key',
    detail: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
    remedy: 'Use a UUID, with or without quotes.',
  },
  'idempotency.required': {
    status: 400,
    retryable: false,
    title: 'An Idempotency-Key is required',
    detail: 'Calls that move money require an Idempotency-Key.',
    remedy: 'Send a new UUID as `Idempotency-Key` for each payment, and the same one when you repeat a call.',
  },
  'username.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown username',
    detail: 'No one has that username.',
    remedy: 'Check the spelling. A name that its owner gave up redirects to them for 90 days.',
  },
  'transaction.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown transaction',
    detail: 'There is no transaction with that id.',
    remedy: 'Use the `transaction_id` from the response that accepted the payment.',
  },
  'recipient.unspecified': {
    status: 400,
    retryable: false,
    title: 'Exactly one recipient is required',
    detail: 'Name one recipient: a username or an address, not both.',
    remedy: 'Send `receiver_username` to pay a person, or `destination_address` to pay an address.',
  },
  'payment.ended': {
    status: 409,
    retryable: false,
    title: 'The payment has ended',
    detail: 'The payment is {state} and cannot be cancelled.',
    remedy:
      '`state` is how it ended: `COMPLETE`, `FAILED` or `DENIED`. Payments between people are final immediately. Only the receiver can pay the money back.',
  },
  'payment.self': {
    status: 409,
    retryable: false,
    title: 'Sender and receiver are the same person',
    detail: 'You cannot pay yourself.',
    remedy: 'Choose another receiver. Your own old usernames redirect to you.',
  },
  'balance.insufficient': {
    status: 409,
    retryable: false,
    title: 'Not enough USDC',
    detail: 'The available balance is {available} USDC.',
    remedy: '`available` can be spent now. It does not include amounts held for open payments.',
  },
  'limit.exceeded': {
    status: 403,
    retryable: false,
    title: 'A limit would be exceeded',
    detail: 'This payment would exceed the limit "{limit}" of {maximum} {unit}; {left} {unit} are left.',
    remedy:
      '`limit` is `payment` (a single payment), `day` (24 hours), `month` (30 days) or `count` (payments in 24 hours). `resets_at` is when the oldest payment leaves the window. `raised_by` is what would raise the limit: `kyc` (passing the identity check) or `operator` (the operator of this service). `GET /api/v1/limits/{user_id}` shows all limits.',
  },
  'idempotency.in_progress': {
    status: 409,
    retryable: true,
    title: 'The first request with this key is still running',
    detail: 'A request with this Idempotency-Key is still running.',
    remedy: 'Repeat the same request after `Retry-After` seconds. It then returns the response to the first request.',
  },
  'idempotency.mismatch': {
    status: 422,
    retryable: false,
    title: 'The Idempotency-Key was used for another request',
    detail: 'This Idempotency-Key was used before with a different body.',
    remedy: 'Use a new key for a new request, and the same key only to repeat the same request.',
  },
  'cursor.invalid': {
    status: 400,
    retryable: false,
    title: 'The cursor is not valid',
    detail: 'This service did not issue the cursor for this history.',
    remedy:
      'Follow the `Link` header or use `next_cursor` unchanged. Leave the cursor out to start with the newest payment.',
  },
  'cursor.lost': {
    status: 410,
    retryable: false,
    title: 'The database does not have the event of this cursor',
    detail: 'The event of this cursor is not in the database; resume after {resume_after}.',
    remedy:
      'The database was restored from a backup, or a failover lost its last commits. Events that you have read may not have happened. Resume with `resume_after` as `after` (it may be `start`). It is well before your last event, so that you miss nothing. Recognize events that you already have by their `id`. Compare what you have recorded since then with what the service returns now.',
  },
  'cursor.expired': {
    status: 410,
    retryable: false,
    title: 'The event of this cursor is too old',
    detail: 'The event of this cursor is older than the oldest available event; resume after {resume_after}.',
    remedy:
      'You have missed events, because this service returns events only for a limited number of days. Read what you need with other calls (payments are kept forever), then resume with `resume_after` as `after`.',
  },
  'event.too_many_streams': {
    status: 429,
    retryable: true,
    title: 'Too many streams for one person',
    detail: 'This person already has {maximum} open streams, the maximum.',
    remedy: 'Close a stream that is no longer read, and open this one after `Retry-After` seconds.',
  },
  'event.unknown_type': {
    status: 400,
    retryable: false,
    title: 'Unknown event type',
    detail: 'There is no event type "{event_type}".',
    remedy:
      'The OpenAPI document lists the types. `payment.*` matches all types that begin with `payment.`. Separate several types with commas.',
  },
  'service.paused': {
    status: 503,
    retryable: true,
    title: 'Payments are paused',
    detail: 'Payments of this kind are paused: {reason}.',
    remedy: 'Nothing was paid. Repeat the call later with the same `Idempotency-Key`.',
  },
  'user.paused': {
    status: 403,
    retryable: true,
    title: "This person's payments are paused",
    detail: "This person's payments are paused: {reason}.",
    remedy:
      'Nothing was paid. Contact the operator of this service. After the pause, repeat the call with the same `Idempotency-Key`.',
  },
  'service.overloaded': {
    status: 503,
    retryable: true,
    title: 'Too many payments',
    detail: 'Too many payments are waiting. Nothing was paid.',
    remedy: 'Repeat the call after `Retry-After` seconds with the same `Idempotency-Key`.',
  },
  ...accountErrors,
  ...payoutErrors,
  ...webhookErrors,
  ...wireErrors,
  'rate.limited': {
    status: 429,
    retryable: true,
    title: 'Too many calls',
    detail: 'The rate limit {policy} of {limit} calls in {window_seconds} seconds is exceeded.',
    remedy:
      'Wait `Retry-After` seconds. The header `RateLimit` of every response shows what is left, and `RateLimit-Policy` shows the limits.',
  },
  'service.unavailable': {
    status: 503,
    retryable: true,
    title: 'A dependency is down',
    detail: 'A dependency of this call ({dependency}) does not answer. The call may have taken effect; repeat it.',
    remedy:
      'Repeat the call after `Retry-After` seconds. If the call changes anything, use the same `Idempotency-Key`.',
  },
  'internal.error': {
    status: 500,
    retryable: true,
    title: 'Internal error',
    detail: 'An internal error occurred. Quote the request id when you report it.',
    remedy:
      'This is a defect in Florin. The log line with the same `request_id` shows what happened. Repeat the call with the same `Idempotency-Key`.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Further members of a problem document. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Thrown for every error that the caller should see. `cause` keeps the original error for the log; it never
 * reaches an answer.
 */
export class PayError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: { cause?: unknown } = {}) {
    super(code, options);
    this.name = 'PayError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The members of an RFC 9457 problem document. `type` is the path of a page that both APIs serve. */
export function renderProblem(error: PayError): Record<string, unknown> {
  const row: ErrorRow = errorTable[error.code];
  return {
    type: `/errors/${error.code}`,
    title: row.title,
    status: row.status,
    detail: row.detail.replace(/\{(\w+)\}/g, (_, name: string) => String(error.details[name] ?? 'unknown')),
    code: error.code,
    retryable: row.retryable,
    ...error.details,
  };
}
