import { orAborted } from './wait.ts';

/** Sends one request: the platform's `fetch`, or the caller's. */
export type Ask = (url: string, init: RequestInit) => Promise<Response>;

export interface Attempt {
  readonly url: string;
  readonly init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> };
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Heard {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
  /** The body of an answer without an end; `text` is then empty. */
  readonly stream?: ReadableStream<Uint8Array>;
}

/** The reason of an attempt that took too long. */
export const TOO_LATE = Symbol('too late');

/** One request and its whole answer; rejects when the time is over or the caller aborts. */
export async function exchange(ask: Ask, { url, init, timeoutMs, signal }: Attempt, streams: boolean): Promise<Heard> {
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
