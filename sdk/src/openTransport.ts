/** Makes one call to the service: credentials, one key for all attempts, timeouts, retries, errors. */
import type { Answered, Call, CallOptions, CsvFile, Input, LastResponse } from './calls.ts';
import { type AppInfo, describeAgent } from './describeAgent.ts';
import { type Ask, type Attempt, exchange, type Heard, TOO_LATE } from './exchange.ts';
import { asFlorinError, FlorinError } from './FlorinError.ts';
import { readJson } from './json.ts';
import { newKey } from './newKey.ts';
import { prepare, readHeaders } from './prepare.ts';
import { readError } from './readError.ts';
import { choosePause, RETRIES, type RetryPolicy } from './retry.ts';
import { wait } from './wait.ts';

export interface TransportOptions {
  /** Default: the platform's `fetch`. */
  readonly fetch?: Ask | undefined;
  /** For each attempt. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Default: 8 attempts within two minutes. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Called before each retry, for logs. */
  readonly onRetry?: ((error: FlorinError, pauseMs: number) => void) | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the `User-Agent`, except in browsers. */
  readonly appInfo?: AppInfo | undefined;
}

/** The credentials of calls that need them. */
export interface Credentials {
  /** The token for the next attempt. */
  getToken(signal: AbortSignal | undefined): Promise<string>;
  /** The service has refused this token. Returns true if there is a new one, so that the call can be repeated. */
  renew(refused: string, signal: AbortSignal | undefined): Promise<boolean>;
}

export interface Transport {
  call(
    call: Call,
    input: Input,
    options?: CallOptions & { readonly as?: 'csv' },
    credentials?: Credentials,
  ): Promise<unknown>;
}

const TIMEOUT_MS = 30_000;

/** `baseUrl` is the URL of the API, such as `https://api.example.com`. */
export function openTransport(baseUrl: string, options: TransportOptions): Transport {
  const { fetch: ask = (url, init) => fetch(url, init), timeoutMs = TIMEOUT_MS, onRetry } = options;
  const agent = describeAgent(options.appInfo);
  const defaults = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...(agent !== undefined && { 'user-agent': agent }), ...readHeaders(options.headers) },
  };

  async function callOnce(
    call: Call,
    attempt: Attempt,
    before: { readonly doubt: boolean; readonly idempotencyKey: string | undefined },
  ): Promise<{ readonly answer: object; readonly heard: Heard } | { readonly error: FlorinError }> {
    const requestId = attempt.init.headers['X-Request-Id']!;
    const asked = { ...before, changes: call.changes === true, requestId };
    const known = { idempotencyKey: before.idempotencyKey, requestId, outcomeUnknown: asked.changes };
    let heard: Heard;
    try {
      heard = await exchange(ask, attempt, call.streams === true);
    } catch (cause) {
      return { error: describeSilence(cause, attempt, known) };
    }
    if (!heard.ok) return { error: readError(heard, asked) };
    if (heard.stream) return { answer: heard.stream, heard };
    try {
      const isCsv = attempt.init.headers.Accept === 'text/csv';
      return { answer: isCsv ? readCsv(heard) : readObject(heard.text), heard };
    } catch (cause) {
      // A proxy between us and the service wrote this answer.
      const { status } = heard;
      return {
        error: new FlorinError({
          ...known,
          code: 'answer.unreadable',
          title: 'The answer cannot be read',
          status,
          cause,
        }),
      };
    }
  }

  return {
    async call(call, input, given = {}, credentials) {
      const { signal } = given;
      const idempotencyKey = call.keyed ? (given.idempotencyKey ?? newKey()) : undefined;
      const prepared = prepare(defaults, call, input, given, idempotencyKey);
      const policy = { ...RETRIES, ...options.retry, ...given.retry };
      const limitMs = (given.timeoutMs ?? timeoutMs) + (given.waitSeconds ?? 0) * 1000;
      const repeatable = !call.changes || call.keyed === true || call.repeatable === true;
      const started = Date.now();
      /**
       * Whether an attempt may have been carried out without our knowledge, including an attempt of an earlier call
       * under this key.
       */
      let doubt = call.changes === true && given.idempotencyKey !== undefined;
      let isRenewed = false;
      /** An error that prevents an attempt (no session, a refused refresh) says nothing about earlier attempts. */
      const giveUp = (thrown: unknown): never => {
        throw describeObstacle(thrown, signal, { outcomeUnknown: doubt, idempotencyKey });
      };
      for (let count = 1; ; count++) {
        const token = await credentials?.getToken(signal).catch(giveUp);
        if (signal?.aborted) giveUp(signal.reason);
        const ownId = newKey();
        const headers = {
          ...prepared.init.headers,
          'X-Request-Id': ownId,
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        };
        const attempt = { ...prepared, init: { ...prepared.init, headers }, timeoutMs: limitMs, signal };
        const result = await callOnce(call, attempt, { doubt, idempotencyKey });
        if ('answer' in result) {
          const { status, headers: heard } = result.heard;
          const requestId = heard.get('x-request-id') ?? ownId;
          return withResponse(result.answer, { status, headers: heard, requestId, idempotencyKey, attempts: count });
        }
        const { error } = result;
        doubt = error.outcomeUnknown;
        if (error.status === 401 && token !== undefined && !isRenewed) {
          isRenewed = true;
          if (await credentials!.renew(token, signal).catch(giveUp)) continue;
        }
        const elapsedMs = Date.now() - started;
        const pauseMs = choosePause({ error, attempt: count, elapsedMs, repeatable }, policy, Math.random);
        if (pauseMs === undefined) throw error;
        try {
          onRetry?.(error, pauseMs);
        } catch (thrown) {
          giveUp(thrown);
        }
        await wait(pauseMs, signal).catch(giveUp);
      }
    },
  };
}

interface Known {
  readonly outcomeUnknown: boolean;
  readonly idempotencyKey: string | undefined;
}

function describeObstacle(thrown: unknown, signal: AbortSignal | undefined, known: Known): FlorinError {
  if (signal?.aborted) return describeAbort(signal.reason, known);
  return new FlorinError({ ...asFlorinError(thrown), ...known, cause: thrown });
}

const describeAbort = (cause: unknown, known: Known): FlorinError =>
  new FlorinError({ ...known, code: 'call.aborted', title: 'The call was aborted', cause });

/** Why there is no answer. */
function describeSilence(cause: unknown, { signal, timeoutMs }: Attempt, known: Known): FlorinError {
  if (signal?.aborted) return describeAbort(signal.reason, known);
  const isLate = cause === TOO_LATE;
  return new FlorinError({
    ...known,
    code: isLate ? 'connection.timeout' : 'connection.lost',
    title: isLate ? `No answer within ${timeoutMs} ms` : 'The connection failed',
    retryable: true,
    ...(!isLate && { cause }),
  });
}

function readObject(text: string): object {
  const answer = readJson(text);
  if (typeof answer !== 'object' || answer === null) throw new Error('The answer is not an object.');
  return answer;
}

/** A file in CSV, with the cursor of its next page. */
function readCsv({ headers, text }: Heard): CsvFile {
  const type = headers.get('content-type') ?? '';
  if (!/^text\/csv\b/i.test(type)) throw new Error(`The answer is ${type || 'of no type'}, not text/csv.`);
  const next = /<([^>]*)>; *rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return { text, next: next === undefined ? null : new URLSearchParams(next.split('?')[1]).get('cursor') };
}

/** A stream has no properties of its own. */
function withResponse(answer: object, lastResponse: LastResponse): object {
  if (answer instanceof ReadableStream) return answer;
  return Object.defineProperty(answer, 'lastResponse', { value: lastResponse }) as Answered<object>;
}
