import { PayError } from '../../core/errors.ts';
import type { KnownCaller } from './knownSessions.ts';

/**
 * Calls `onEnd` within about a second after the session or its access token has ended. Returns a function that stops
 * watching.
 */
export type WatchCaller = (caller: KnownCaller, onEnd: () => void) => () => void;

interface Watched {
  caller: KnownCaller;
  readonly onEnd: () => void;
}

const CHECK_EVERY_MS = 1_000;

/**
 * For work that takes longer than a call, such as a stream of events. However many sessions are watched, one statement
 * per second asks which have changed, and only those are read again.
 */
export function watchCallers(
  catchUp: () => Promise<void>,
  get: (accessToken: string) => Promise<KnownCaller>,
): { readonly watch: WatchCaller; readonly stop: () => void } {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    try {
      await catchUp();
      const now = performance.now();
      const doubtful = [...watched].filter(({ caller }) => caller.isChanged || now >= caller.untilMs);
      await Promise.all(doubtful.map(readAgain));
    } catch {
      // The database is unreachable, so there are no events to show either. The next check decides.
    }
    timer = watched.size > 0 ? setTimeout(check, CHECK_EVERY_MS) : undefined;
  }

  async function readAgain(one: Watched): Promise<void> {
    try {
      one.caller = await get(one.caller.accessToken);
    } catch (error) {
      if (!(error instanceof PayError && error.code === 'auth.invalid')) throw error;
      watched.delete(one);
      one.onEnd();
    }
  }

  return {
    watch(caller, onEnd) {
      const one = { caller, onEnd };
      watched.add(one);
      timer ??= setTimeout(check, CHECK_EVERY_MS);
      return () => {
        watched.delete(one);
      };
    },
    stop() {
      watched.clear();
      clearTimeout(timer);
    },
  };
}
