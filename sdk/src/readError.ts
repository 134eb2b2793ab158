import { type FieldFault, FlorinError, type FlorinErrorParts, type Problem } from './FlorinError.ts';
import { readJson } from './json.ts';

interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The call that the error answers. */
interface Asked {
  /** Whether the call changes something. */
  readonly changes: boolean;
  /** Whether an earlier attempt may have been carried out. */
  readonly doubt: boolean;
  readonly idempotencyKey: string | undefined;
  readonly requestId: string;
}

/** 5xx answers which state that nothing was done. */
const NOTHING_DONE = ['service.paused', 'service.overloaded'];
/** Refusals of this attempt only: they say nothing about an earlier, unanswered attempt. */
const OF_THE_ATTEMPT = /^(auth|key|request|rate|idempotency\.in_progress|user\.paused|wallet\.pending)/;

/** The error for an answer other than 2xx. */
export function readError({ status, headers, text }: Refused, asked: Asked): FlorinError {
  const parts = describe(status, headers, text);
  const { code } = parts;
  const mayRun = (status >= 500 && !NOTHING_DONE.includes(code)) || code === 'idempotency.in_progress';
  // Only an answer of the service itself decides the outcome; another answer may come from a proxy.
  const isOwn = parts.problem !== undefined;
  const decides = isOwn && status < 500 && ![408, 429].includes(status) && !OF_THE_ATTEMPT.test(code);
  // All attempts under a key have the same body, so each of them was too large.
  const settles = decides || status === 413;
  return new FlorinError({
    ...parts,
    status,
    outcomeUnknown: asked.changes && (mayRun || (asked.doubt && !settles)),
    retryAfterSeconds: readSeconds(headers.get('retry-after')),
    requestId: headers.get('x-request-id') ?? asked.requestId,
    headers,
    idempotencyKey: asked.idempotencyKey,
  });
}

function describe(status: number, headers: Refused['headers'], text: string): FlorinErrorParts {
  const said = (headers.get('content-type') ?? '').includes('json') ? findJson(text) : undefined;
  if (isProblem(said))
    return { code: said.code, title: said.title, detail: said.detail, retryable: said.retryable, problem: said };
  const detail = (said as { detail?: unknown } | undefined)?.detail;
  if (status === 422 && Array.isArray(detail)) {
    const fields = detail as FieldFault[];
    const words = fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return { code: 'request.invalid', title: 'The request does not match the reference', detail: words, fields };
  }
  return {
    code: 'answer.unexpected',
    title: `The answer was ${status}`,
    detail: typeof detail === 'string' ? detail : undefined,
    retryable: status >= 500 || status === 429,
  };
}

const isProblem = (said: unknown): said is Problem =>
  typeof said === 'object' && said !== null && typeof (said as { code?: unknown }).code === 'string';

function findJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` as seconds or as a date. */
function readSeconds(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
