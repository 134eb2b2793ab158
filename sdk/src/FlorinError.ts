import type { components } from './generated/backend.ts';

export type ErrorCode = components['schemas']['ErrorCode'];
/** The members of an error answer; which of the optional ones a code has, its page in the reference says. */
export type Problem = components['schemas']['Problem'];

/**
 * What the client itself reports: no answer came (`connection.lost`, `connection.timeout`), the caller gave up
 * (`call.aborted`), the answer is not of this service (`answer.unreadable`, `answer.unexpected`), the request does not
 * fit the reference (`request.invalid`, see `fields`), nobody is logged in (`session.none`), or a payment that was waited
 * for has not ended in time (`wait.timeout`).
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

/** One thing that is wrong with a request. */
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
 * Everything that can go wrong with a call. Branch on `code`. When `outcomeUnknown` is true the call may have been
 * carried out, money may have moved: repeat it with the same `idempotencyKey`, never with a new one.
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
  /** Names the call in the service's log. */
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The whole answer, if it is one of the service's problems. */
  readonly problem: Problem | undefined;
  /** With `request.invalid`: what is wrong, and where. */
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
