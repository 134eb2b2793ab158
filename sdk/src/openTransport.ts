/** Makes one call to the service: credentials, one key for all attempts, timeouts, retries, errors. */
import type { Call, CallOptions, Input } from './calls.ts';
import { FlorinError } from './FlorinError.ts';
import { readJson, writeBody } from './json.ts';
import { newKey } from './newKey.ts';
import { readError } from './readError.ts';
import { choosePause, RETRIES, type RetryPolicy } from './retry.ts';
import { orAborted, wait } from './wait.ts';

export interface TransportOptions {
  /** The URL of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Default: the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** For each attempt. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Called before each retry, for logs. */
  readonly onRetry?: ((error: FlorinError, pauseMs: number) => void) | undefined;
}

/** The credentials of calls that need them. */
export interface Credentials {
  /** The token for the next attempt. */
  getToken(signal: AbortSignal | undefined): Promise<string>;
  /** The service has refused this token. Returns true if there is a new one, so that the call can be repeated. */
  renew(refused: string, signal: AbortSignal | undefined): Promise<boolean>;
}

interface Transport {
  call(call: Call, input: Input, options?: CallOptions, credentials?: Credentials): Promise<unknown>;
}

interface Attempt {
  readonly url: string;
  readonly init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> };
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Heard {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
  /** The body of an answer without an end; `text` is then empty. */
  readonly stream?: ReadableStream<Uint8Array>;
}

const TIMEOUT_MS = 30_000;

export function openTransport(options: TransportOptions): Transport {
  const { baseUrl, fetch: ask = (url, init) => fetch(url, init), timeoutMs = TIMEOUT_MS, onRetry } = options;
  const policy = { ...RETRIES, ...options.retry };

  async function callOnce(
    call: Call,
    attempt: Attempt,
    before: { readonly doubt: boolean; readonly idempotencyKey: string | undefined },
  ): Promise<{ readonly answer: unknown } | { readonly error: FlorinError }> {
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
    if (heard.stream) return { answer: heard.stream };
    try {
      return { answer: readJson(heard.text) };
    } catch (cause) {
      // A proxy between us and the service wrote this answer.
      const { status } = heard;
      return {
        error: new FlorinError({ ...known, code: 'answer.unreadable', title: 'The answer is not JSON', status, cause }),
      };
    }
  }

  return {
    async call(call, input, given = {}, credentials) {
      const { signal } = given;
      const idempotencyKey = call.keyed ? (given.idempotencyKey ?? newKey()) : undefined;
      const prepared = prepare(baseUrl, call, input, given, idempotencyKey);
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
        const headers = {
          ...prepared.init.headers,
          'X-Request-Id': newKey(),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        };
        const attempt = { ...prepared, init: { ...prepared.init, headers }, timeoutMs: limitMs, signal };
        const result = await callOnce(call, attempt, { doubt, idempotencyKey });
        if ('answer' in result) return result.answer;
        const { error } = result;
        doubt = error.outcomeUnknown;
        if (error.status === 401 && token !== undefined && !isRenewed) {
          isRenewed = true;
          if (await credentials!.renew(token, signal).catch(giveUp)) continue;
        }
        const elapsedMs = Date.now() - started;
        const pauseMs = choosePause({ error, attempt: count, elapsedMs, repeatable }, policy, Math.random);
        if (pauseMs === undefined) throw error;
        onRetry?.(error, pauseMs);
        await wait(pauseMs, signal).catch(giveUp);
      }
    },
  };
}

interface Known {
  readonly outcomeUnknown: boolean;
  readonly idempotencyKey: string | undefined;
}

function describeObstacle(thrown: unknown, signal: AbortSignal | undefined, known: Known): unknown {
  if (signal?.aborted) return describeAbort(signal.reason, known);
  if (thrown instanceof FlorinError) return new FlorinError({ ...thrown, ...known, cause: thrown });
  return known.outcomeUnknown ? describeAbort(thrown, known) : thrown;
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

const TOO_LATE = Symbol('too late');

/** One request and its whole answer; rejects when the time is over or the caller aborts. */
async function exchange(
  ask: NonNullable<TransportOptions['fetch']>,
  { url, init, timeoutMs, signal }: Attempt,
  streams: boolean,
): Promise<Heard> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(TOO_LATE), timeoutMs);
  const give = () => over.abort(signal?.reason);
  signal?.addEventListener('abort', give, { once: true });
  const forget = () => signal?.removeEventListener('abort', give);
  let isOpen = false;
  const hear = async (): Promise<Heard> => {
    const response = await ask(url, { ...init, signal: over.signal });
    const { status, ok, headers, body } = response;
    if (!streams || !ok || !body) return { status, ok, headers, text: await response.text() };
    isOpen = true;
    return { status, ok, headers, text: '', stream: untilOver(body, forget) };
  };
  try {
    // Raced as well, because not every platform's fetch ends immediately when it is aborted.
    return await orAborted(hear(), over.signal);
  } finally {
    clearTimeout(timer);
    // A stream ends with its caller's signal.
    if (!isOpen) forget();
  }
}

/** The same stream; calls `onOver` when either side has ended it. */
function untilOver(stream: ReadableStream<Uint8Array>, onOver: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onOver();
    },
    async cancel(reason) {
      onOver();
      await reader.cancel(reason);
    },
  });
}

function prepare(
  baseUrl: string,
  call: Call,
  { path, query, body }: Input,
  { waitSeconds }: CallOptions,
  idempotencyKey: string | undefined,
): Pick<Attempt, 'url' | 'init'> {
  const filled = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
  const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    Object.fromEntries(asked.map(([name, value]) => [name, String(value)])),
  ).toString();
  const headers: Record<string, string> = {
    Accept: call.streams ? 'text/event-stream' : 'application/json',
    ...(body && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(call.waits && waitSeconds !== undefined && { Prefer: `wait=${Math.ceil(waitSeconds)}` }),
  };
  return {
    url: `${baseUrl.replace(/\/+$/, '')}${filled}${search && `?${search}`}`,
    init: {
      method: call.method,
      headers,
      ...(body && { body: writeBody(body, call.amounts ?? []) }),
      // Only we send credentials, and only to the given address.
      credentials: 'omit',
      redirect: 'error',
    },
  };
}
