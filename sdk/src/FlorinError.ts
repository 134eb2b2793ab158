import type { components } from './generated/backend.ts';

export type ErrorCode = components['schemas']['ErrorCode'];
/** The members of an error answer. The reference lists the optional members of each code. */
export type Problem = components['schemas']['Problem'];

/**
 * Errors of the client itself: no answer arrived (`connection.lost`, `connection.timeout`), the caller aborted the call
 * (`call.aborted`), the answer does not come from this service (`answer.unreadable`, `answer.unexpected`), the request
 * does not match the reference (`request.invalid`, see `fields`), no one is logged in (`session.none`), or a payment
 * did not end in time (`wait.timeout`).
 */
export type ClientCode =
  | 'connection.lost'
  | 'connection.timeout'
  | 'call.aborted'
  | 'answer.unreadable'
  | 'answer.unexpected'
  | 'request.invalid'
  | 'session.none'
  | 'wait.timeout';

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
  readonly idempotencyKey?: string | undefined;
  readonly problem?: Problem | undefined;
  readonly fields?: readonly FieldFault[] | undefined;
  readonly cause?: unknown;
}

/**
 * Every error of a call. Branch on `code`. If `outcomeUnknown` is true, the call may have been carried out and money
 * may have moved: repeat it with the same `idempotencyKey`, never with a new one.
 */
export class FlorinError extends Error {
  readonly code: ErrorCode | ClientCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly outcomeUnknown: boolean;
  /** Identifies the call in the service's log. */
  readonly requestId: string | undefined;
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
    this.idempotencyKey = parts.idempotencyKey;
    this.problem = parts.problem;
    this.fields = parts.fields ?? [];
  }
}
