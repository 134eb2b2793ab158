/** Rejects with the signal's reason when it is aborted. */
export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  untilAborted(
    signal,
    (stop) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        stop.addEventListener('abort', () => clearTimeout(timer));
      }),
  );

/** Settles like `promise`, unless the signal is aborted first; the work itself continues for other callers. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  untilAborted(signal, () => promise);

/** Aborts the signal of `work` when no caller waits for it any more. */
async function untilAborted<T>(signal: AbortSignal | undefined, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  try {
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
    });
    return await Promise.race([work(over.signal), aborted]);
  } finally {
    over.abort();
  }
}
