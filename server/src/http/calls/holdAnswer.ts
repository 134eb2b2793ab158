import type { HeldAnswers } from '../connections/limitHeldAnswers.ts';
import type { ApiCall } from '../contract/operation.ts';

interface Held<T> {
  readonly result: T;
}

/**
 * Runs `wait` with a signal that is aborted after this many seconds, or when the caller disconnects. Returns undefined
 * immediately if the caller holds too many answers: a preference is not binding (RFC 7240), so the call is answered
 * without waiting.
 */
export async function holdAnswer<T>(
  heldAnswers: HeldAnswers,
  { connection }: Pick<ApiCall, 'connection'>,
  caller: string,
  seconds: number,
  wait: (until: AbortSignal) => Promise<T>,
): Promise<Held<T> | undefined> {
  const end = heldAnswers.begin(caller);
  if (!end) return undefined;
  const until = new AbortController();
  const abort = () => until.abort();
  const timer = setTimeout(abort, seconds * 1000);
  connection.once('close', abort);
  if (connection.destroyed || seconds === 0) abort();
  try {
    return { result: await wait(until.signal) };
  } finally {
    end();
    clearTimeout(timer);
    connection.off('close', abort);
  }
}
