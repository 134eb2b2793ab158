import type { components } from './generated/backend.ts';

export type ErrorCode = components['schemas']['ErrorCode'];
/** The members of an error answer. The reference lists the optional members of each code. */
export type Problem = components['schemas']['Problem'];

/** The codes of the client itself, and what they mean. The service has others: `ErrorCode`. */
export const CLIENT_CODES = {
  'connection.lost': 'No answer arrived',
  'connection.timeout': 'No answer arrived within `timeoutMs`',
  'call.aborted': 'The caller aborted the call',
  'answer.unreadable': 'The answer does not come from this service',
  'answer.unexpected': 'The answer does not come from this service, such as an error page of a proxy',
  'request.invalid': 'The request does not match the reference: see `fields`',
  'amount.inexact': 'An amount is not text with at most six decimals',
  'session.none': 'No one is logged in',
  'wait.timeout': 'The payment did not end in time',
  'webhook.unverified': 'A message is not signed with this secret, or it is too old',
  'client.misconfigured': 'The client lacks an option that the call needs, or an option is wrong',
  'client.failed': 'Code that the client was given failed, such as a store or `onRetry`: see `cause`',
} as const;

export type ClientCode = keyof typeof CLIENT_CODES;

/** One fault of a request. */
export interface FieldFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface FlorinErrorParts {
  readonly code: ErrorCode | ClientCode;
  readonly title: string;
  readonly detail?: string | undefined;
  /** 0: there was no answer. */
  readonly status?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly outcomeUnknown?: boolean | undefined;
  readonly requestId?: string | undefined;
  readonly headers?: Headers | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly problem?: Problem | undefined;
  readonly fields?: readonly FieldFault[] | undefined;
  readonly cause?: unknown;
}

/**
 * Every failure of the client is one. Branch on `code`. If `outcomeUnknown` is true, the call may have been carried out and money
 * may have moved: repeat it with the same `idempotencyKey`, never with a new one.
 */
export class FlorinError extends Error {
  /** For programs. */
  readonly code: ErrorCode | ClientCode;
  /** Of HTTP; 0: there was no answer. */
  readonly status: number;
  /** For people, the same for all errors of this code. */
  readonly title: string;
  /** For people, about this error. */
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** When the service expects the same call again. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the call may have been carried out. */
  readonly outcomeUnknown: boolean;
  /** Identifies the call in the service's log. */
  readonly requestId: string | undefined;
  /** The headers of the answer; undefined if there was none. */
  readonly headers: Headers | undefined;
  /** The key of the call; repeat it with this one. */
  readonly idempotencyKey: string | undefined;
  /** The whole answer, if it is a problem document of the service. */
  readonly problem: Problem | undefined;
  /** With `request.invalid`: the faults and their locations. */
  readonly fields: readonly FieldFault[];

  constructor(parts: FlorinErrorParts) {
    const { title, detail = title } = parts;
    super(`${parts.code}: ${detail}`, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'FlorinError';
    this.code = parts.code;
    this.status = parts.status ?? 0;
    this.title = title;
    this.detail = detail;
    this.retryable = parts.retryable ?? false;
    this.retryAfterSeconds = parts.retryAfterSeconds;
    this.outcomeUnknown = parts.outcomeUnknown ?? false;
    this.requestId = parts.requestId;
    this.headers = parts.headers;
    this.idempotencyKey = parts.idempotencyKey;
    this.problem = parts.problem;
    this.fields = parts.fields ?? [];
  }
}

/** Failures of code that the client was given, such as a store, have no code of their own. */
export function asFlorinError(thrown: unknown): FlorinError {
  if (thrown instanceof FlorinError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new FlorinError({ code: 'client.failed', title: 'Code that the client calls failed', detail, cause: thrown });
}
