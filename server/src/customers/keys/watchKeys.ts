import { PayError } from '../../core/errors.ts';

/** Calls `onEnd` within about a second after the key has ended. Returns a function that stops watching. */
export type WatchKey = (key: string, onEnd: () => void) => () => void;

const CHECK_EVERY_MS = 1_000;

/**
 * For work that takes longer than a call, such as a stream of events. However many keys are watched, they are read again in
 * one statement per second. Sessions have a cheaper check (`watchCallers`), because there are far more of them.
 */
export function watchKeys(get: (key: string) => Promise<unknown>): WatchKey {
  const watched = new Set<{ readonly key: string; readonly onEnd: () => void }>();
  let isChecking = false;

  function checkLater(): void {
    isChecking = watched.size > 0;
    if (isChecking) setTimeout(check, CHECK_EVERY_MS);
  }

  async function check(): Promise<void> {
    await Promise.all(
      [...watched].map(async (one) => {
        const error = await get(one.key).then(
          () => undefined,
          (caught: unknown) => caught,
        );
        // Other errors: the database is unreachable, so there are no events to show either. The next check decides.
        if (error instanceof PayError && error.code === 'auth.invalid' && watched.delete(one)) one.onEnd();
      }),
    );
    checkLater();
  }

  return (key, onEnd) => {
    const one = { key, onEnd };
    watched.add(one);
    if (!isChecking) checkLater();
    return () => {
      watched.delete(one);
    };
  };
}
