/**
 * `core` holds what every room shares: money, ids, states, errors and the types of the ports. It imports nothing of
 * ours and uses no network and no database; every room may import it.
 *
 * This file is the one table of everything that can go wrong for a caller. A code never changes: clients branch on
 * it. A new code does not compile without its status, its retry rule and its sentences, and the page
 * under `docs/errors/` is generated from the same row.
 */
import { accountErrors } from './accountErrors.ts';
import { payoutErrors } from './payoutErrors.ts';
import { webhookErrors } from './webhookErrors.ts';
import { wireErrors } from './wireErrors.ts';

interface ErrorRow {
  readonly status: number;
  /** May the same request succeed later, unchanged? */
  readonly retryable: boolean;
  /** Stable, short, the `title` of the problem document. */
  readonly title: string;
  /** What a person reads in `detail`; `{name}` is filled from the error's details. */
  readonly says: string;
  /** For the documentation page: what to do about it. */
  readonly remedy: string;
}

export const errorTable = {
  'auth.required': {
    status: 401,
    retryable: false,
    title: 'A credential is required',
    says: 'This call needs a credential and none was sent.',
    remedy:
      'Send `Authorization: Bearer …` with the access token that `POST /api/v1/login` or `POST /api/v1/sessions/refresh` answered.',
  },
  'auth.invalid': {
    status: 401,
    retryable: false,
    title: 'The credential was refused',
    says: 'The credential was refused: {reason}.',
    remedy:
      '`reason` names the check that failed. ID tokens: `malformed`, `algorithm`, `header_key`, `issuer`, `audience`, `unknown_key`, `signature`, `expired`, `not_yet_valid`, `subject`, `claims`, `anonymous`, `spent` (it was used to log in before; get a new one), `code` and `nonce` (in the wallet: the login was not finished by the browser that began it; log in again). Session tokens: `unknown`, `expired`, `revoked`, `reused` (an old refresh token came back: the whole session was ended; log in again). Service keys: `unknown`, `revoked`, `expired`, `certificate` (the key works only with its client certificate), `address` (it works only from other addresses).',
  },
  'auth.forbidden': {
    status: 403,
    retryable: false,
    title: 'The credential belongs to another user',
    says: 'The credential does not allow this for that user.',
    remedy: 'Act only for the user whose access token you send.',
  },
  'auth.scope': {
    status: 403,
    retryable: false,
    title: 'The key lacks a scope',
    says: 'The key lacks the scope {scope}.',
    remedy: 'Use a service key with that scope: `florin key create NAME --scope …`.',
  },
  'key.not_allowed': {
    status: 403,
    retryable: false,
    title: 'The key may not do this',
    says: 'The rules of the key do not allow this {what}.',
    remedy:
      '`what` is what its rules do not allow: `wallet` (whose money it is), `treasury`, `blockchain` or `destination`. `florin key list` shows the rules; an operator changes them with `florin key change`.',
  },
  'key.limit_exceeded': {
    status: 403,
    retryable: false,
    title: 'A limit of the key is reached',
    says: 'This payment would pass the limit "{limit}" of {maximum} USDC of the key; {left} USDC are left.',
    remedy:
      '`limit` is `payment` (each), `day` (24 hours) or `month` (30 days). `resets_at` is when the oldest payment leaves the window. An operator raises it with `florin key change`.',
  },
  'user.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown user',
    says: 'There is no user with that id.',
    remedy: 'Use the `user_id` that `POST /api/v1/login` answered.',
  },
  'session.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown session',
    says: 'You have no session with that id.',
    remedy: 'List your sessions with `GET /api/v1/sessions`.',
  },
  'kyc.final': {
    status: 409,
    retryable: false,
    title: 'The identity check ended with a final refusal',
    says: 'The identity check was refused for good; it cannot be repeated.',
    remedy: 'Contact the operator of this service. When a check may be repeated, its status says `can_retry`.',
  },
  'kyc.required': {
    status: 403,
    retryable: false,
    title: 'An identity check is needed',
    says: 'People whose identity check is "{kyc_status}" cannot pay.',
    remedy:
      'Pass the check: `POST /api/v1/kyc/applicant`, then `POST /api/v1/kyc/access-token`. After a final refusal, contact the operator of this service.',
  },
  'username.invalid': {
    status: 400,
    retryable: false,
    title: 'The username has a form that is not allowed',
    says: 'A username has 3 to 30 characters: letters a to z, digits and underscores.',
    remedy: 'Upper case is accepted and lower-cased; anything else outside `^[a-z0-9_]{3,30}$` is refused.',
  },
  'username.taken': {
    status: 409,
    retryable: false,
    title: 'The username is taken',
    says: 'That username is taken, reserved, or looks too much like one that is.',
    remedy:
      'Choose another. Names that differ only in `rn`/`m`, `0`/`o`, `1`/`l` or underscores count as the same, and a name that its owner gave up stays theirs for 90 days.',
  },
  'username.cooldown': {
    status: 409,
    retryable: true,
    title: 'The username was changed recently',
    says: 'The username was changed recently; it can be changed again at {available_at}.',
    remedy: 'Wait until `available_at`. Choosing the first name, and correcting it once, never waits.',
  },
  'amount.precision': {
    status: 400,
    retryable: false,
    title: 'The amount is too precise',
    says: 'USDC has {decimals} decimals; the amount has more.',
    remedy:
      'Round the amount yourself: we never do. The value counts, not the spelling: `1.0000000` is fine. To send exact amounts, calculate in millionths or with decimal numbers and write a JSON number: its digits are read as they stand, so `0.1` is exactly a tenth. Sums of floats have too many digits (`0.1 + 0.2`), and a string (`"0.1"`) is refused with 422.',
  },
  'amount.too_large': {
    status: 400,
    retryable: false,
    title: 'The amount is too large',
    says: 'The largest amount of one payment is {largest} USDC.',
    remedy: 'Split the payment.',
  },
  'blockchain.unsupported': {
    status: 400,
    retryable: false,
    title: 'The blockchain is not configured',
    says: 'This service is not connected to the blockchain {blockchain}.',
    remedy: 'Send on a blockchain that this service is connected to.',
  },
  'address.invalid': {
    status: 400,
    retryable: false,
    title: 'Not an address that can be paid',
    says: 'The destination cannot be paid: {reason}.',
    remedy:
      '`reason` is `form` (0x and 40 hexadecimal digits; on Solana 32 bytes in base58, on Aptos 0x and up to 64 digits), `checksum` (mixed case that is not EIP-55: check the address letter by letter), `zero` or `token_contract`.',
  },
  'address.blocked': {
    status: 403,
    retryable: false,
    title: 'The token refuses this address',
    says: 'The USDC contract has blacklisted {party}, so the payment would fail for sure. Nothing was paid.',
    remedy: '`party` is `the destination` or `the funding wallet`. Only the issuer of USDC can lift it.',
  },
  'address.lookalike': {
    status: 409,
    retryable: false,
    title: 'The address looks like one that this wallet has paid, but is different',
    says: 'The destination begins and ends like an address that this wallet has paid before, but it is a different one. Nothing was held or paid.',
    remedy:
      'This may be address poisoning: an attacker makes an address with the same first and last four digits and waits until it is copied from a payment history. Ask the recipient for the whole address again and compare all of it. This wallet can never pay the refused address.',
  },
  'wallet.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown wallet',
    says: 'There is no wallet with that id.',
    remedy: 'Use the `wallet_id` that `POST /api/v1/login` answered.',
  },
  'wallet.pending': {
    status: 409,
    retryable: true,
    title: 'Your wallet is not made yet',
    says: 'Your wallet is still being made. Nothing was held or paid.',
    remedy:
      'Repeat the call after `Retry-After` seconds; logging in again asks for the wallet once more. Payments by username need no wallet.',
  },
  'wallet.unspecified': {
    status: 400,
    retryable: false,
    title: 'No funding wallet',
    says: 'The request names no funding wallet, and this service has no treasury wallet to fall back on.',
    remedy: 'Name one with `funding_wallet_id` or `wallet_username`.',
  },
  'idempotency.invalid': {
    status: 400,
    retryable: false,
    title: 'The Idempotency-Key has a form that is not allowed',
    says: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
    remedy: 'Use a UUID, in quotes or bare.',
  },
  'idempotency.required': {
    status: 400,
    retryable: false,
    title: 'An Idempotency-Key is required',
    says: 'Calls that move money need an Idempotency-Key here.',
    remedy: 'Send `Idempotency-Key` with a new UUID for each payment, and the same one when you repeat a call.',
  },
  'username.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown username',
    says: 'Nobody has that username.',
    remedy: 'Check the spelling. A name that its owner gave up leads to them for 90 days, then to nobody.',
  },
  'transaction.unknown': {
    status: 404,
    retryable: false,
    title: 'Unknown transaction',
    says: 'There is no transaction with that id.',
    remedy: 'Use the `transaction_id` of the answer that accepted the payment.',
  },
  'recipient.unspecified': {
    status: 400,
    retryable: false,
    title: 'Not exactly one recipient',
    says: 'Name one recipient: a username or an address, not both.',
    remedy: 'Send `receiver_username` to pay a person, or `destination_address` to pay an address.',
  },
  'payment.ended': {
    status: 409,
    retryable: false,
    title: 'The payment has ended',
    says: 'The payment is {state} and cannot be cancelled.',
    remedy:
      '`state` is how it ended: `COMPLETE`, `FAILED` or `DENIED`. Payments between users are final at once. Only the receiver can pay the money back.',
  },
  'payment.self': {
    status: 409,
    retryable: false,
    title: 'Sender and receiver are the same person',
    says: 'You cannot pay yourself.',
    remedy: 'Choose another receiver. An old name of your own leads to you as well.',
  },
  'balance.insufficient': {
    status: 409,
    retryable: false,
    title: 'Not enough USDC',
    says: 'The available balance is {available} USDC.',
    remedy: '`available` is what can be spent now; amounts held for payments under way are not part of it.',
  },
  'limit.exceeded': {
    status: 403,
    retryable: false,
    title: 'A limit is reached',
    says: 'This payment would pass the limit "{limit}" of {maximum} {unit}; {left} {unit} are left.',
    remedy:
      '`limit` is `payment` (each), `day` (24 hours), `month` (30 days) or `count` (payments in 24 hours). `resets_at` is when the oldest payment leaves the window. `raised_by` is what would raise the limit: `kyc` (passing the identity check) or `operator` (the operator of this service). `GET /api/v1/limits/{user_id}` shows all of them.',
  },
  'idempotency.in_progress': {
    status: 409,
    retryable: true,
    title: 'The first request with this key is still running',
    says: 'A request with this Idempotency-Key is still running.',
    remedy: 'Repeat the same request after `Retry-After` seconds; it will get the answer to the first one.',
  },
  'idempotency.mismatch': {
    status: 422,
    retryable: false,
    title: 'The Idempotency-Key was used for another request',
    says: 'This Idempotency-Key was used before, with another body.',
    remedy: 'Use a new key for a new request, and the same key only to repeat the same one.',
  },
  'cursor.invalid': {
    status: 400,
    retryable: false,
    title: 'The cursor is not valid',
    says: 'The cursor was not made by this service for this history.',
    remedy: 'Follow the `Link` header or use `next_cursor` as it is; leave it out to begin with the newest payment.',
  },
  'cursor.lost': {
    status: 410,
    retryable: false,
    title: 'The database does not have the event of this cursor',
    says: 'The event of this cursor is not in the database; go on after {resume_after}.',
    remedy:
      'The database was restored from a backup, or a failover has lost its last commits: events that you have read may not have happened. Go on with `resume_after` as `after` (it may be `start`). It lies well before your last event, so that nothing is left out; events that you have already are recognized by their `id`. Compare what you have recorded since then with what the service says now.',
  },
  'cursor.expired': {
    status: 410,
    retryable: false,
    title: 'The event of this cursor is too old',
    says: 'The event of this cursor is older than events are told here; go on after {resume_after}.',
    remedy:
      'You have missed events: this service tells those of a set number of days only. Take in what you need by other calls (payments are kept for ever), then go on with `resume_after` as `after`.',
  },
  'event.too_many_streams': {
    status: 429,
    retryable: true,
    title: 'Too many streams of one person',
    says: 'This person follows {maximum} streams already, which is the most.',
    remedy: 'Close a stream that nobody reads any more, and open this one after `Retry-After` seconds.',
  },
  'event.unknown_type': {
    status: 400,
    retryable: false,
    title: 'There is no such type of events',
    says: 'There is no type of events "{event_type}".',
    remedy: 'The document lists the types. `payment.*` stands for all that begin so; several are separated by commas.',
  },
  'service.paused': {
    status: 503,
    retryable: true,
    title: 'Payments are paused',
    says: 'Payments of this kind are paused: {reason}.',
    remedy: 'Nothing was paid. Repeat the call later with the same `Idempotency-Key`.',
  },
  'user.paused': {
    status: 403,
    retryable: true,
    title: 'The payments of this person are paused',
    says: 'Payments of this person are paused: {reason}.',
    remedy:
      'Nothing was paid. Contact the operator of this service; after the pause, the same call with the same `Idempotency-Key` will pay.',
  },
  'service.overloaded': {
    status: 503,
    retryable: true,
    title: 'Too many payments at once',
    says: 'More payments are waiting than we can make soon. Nothing was paid.',
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
    says: 'The limit {policy} allows {limit} calls in {window_seconds} seconds; it is used up.',
    remedy:
      'Wait `Retry-After` seconds. `RateLimit` on every answer says what is left, `RateLimit-Policy` what the limits are.',
  },
  'service.unavailable': {
    status: 503,
    retryable: true,
    title: 'Something we depend on is down',
    says: 'Something this call depends on ({dependency}) does not answer. Nothing is known to have changed; try again.',
    remedy:
      'Repeat the call after `Retry-After` seconds. If it changes something, repeat it with the same `Idempotency-Key`.',
  },
  'internal.error': {
    status: 500,
    retryable: true,
    title: 'Internal error',
    says: 'Something went wrong on our side. Quote the request id when you report it.',
    remedy: 'This is a defect. The log line with the same `request_id` says what happened.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Further members of a problem document. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Thrown for everything that the caller should be told. `cause` keeps the original error for the log; it never
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
    detail: row.says.replace(/\{(\w+)\}/g, (_, name: string) => String(error.details[name] ?? 'unknown')),
    code: error.code,
    retryable: row.retryable,
    ...error.details,
  };
}
