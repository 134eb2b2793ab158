import { PayError } from '../../core/errors.ts';

interface Window {
  readonly endsAtMs: number;
  count: number;
}

interface Attempts {
  /** Throws `rate.limited` if there were too many. */
  count(key: string): void;
  /** This attempt succeeded, and does not count. */
  takeBack(key: string): void;
}

/** Far more people and addresses than try at the same time. */
const MOST_KEYS = 10_000;

/** Counts attempts in this process. The console is one process, and its own database login writes nothing. */
export function limitAttempts({ most, seconds }: { readonly most: number; readonly seconds: number }): Attempts {
  const windows = new Map<string, Window>();
  return {
    count(key) {
      const nowMs = Date.now();
      let window = windows.get(key);
      if (!window || window.endsAtMs <= nowMs) {
        if (windows.size >= MOST_KEYS) windows.delete(windows.keys().next().value!);
        windows.delete(key);
        window = { endsAtMs: nowMs + seconds * 1000, count: 0 };
        windows.set(key, window);
      }
      if (window.count >= most)
        throw new PayError('rate.limited', { retry_after_seconds: Math.ceil((window.endsAtMs - nowMs) / 1000) });
      window.count++;
    },
    takeBack(key) {
      const window = windows.get(key);
      if (window && window.count > 0) window.count--;
    },
  };
}
