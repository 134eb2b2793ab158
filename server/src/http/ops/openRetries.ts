import type { Logger } from 'pino';
import { describeError } from '../../core/describeError.ts';
import { PayError } from '../../core/errors.ts';

/** What is tried again says why once, with host and cause; then it is counted, with one line a minute at most. */
interface Retries {
  /** `who` has failed and tries again. */
  failed(who: string, error: unknown, says: string): void;
  /** `who` has worked. */
  worked(who: string): void;
  /** Failures since the start, by what does not work. */
  counts(): ReadonlyMap<string, number>;
}

interface Failing {
  readonly who: Set<string>;
  readonly since: Date;
  times: number;
  toldMs: number;
  lastMs: number;
}

const EVERY_MS = 60_000;
/** What has not failed for this long is over, also if nobody said that it works. */
const OVER_MS = 600_000;

export function openRetries(log: Logger, everyMs = EVERY_MS, now: () => number = Date.now): Retries {
  const failing = new Map<string, Failing>();
  const counts = new Map<string, number>();
  return {
    failed(who, error, says) {
      // Everything that needs a network fails with it: that is one line, and not one per kind of work.
      const dependency = findDependency(error);
      const what = dependency ?? who;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      const known = failing.get(what);
      if (!known || now() - known.lastMs > OVER_MS) {
        const since = new Date(now());
        failing.set(what, { who: new Set([who]), since, times: 1, toldMs: now(), lastMs: now() });
        // A stack is of use where it is not known what went wrong.
        log.warn({ what, why: describeError(error), ...(dependency === undefined && { err: error }) }, says);
        return;
      }
      known.who.add(who);
      known.times++;
      known.lastMs = now();
      if (now() - known.toldMs < everyMs) return;
      known.toldMs = now();
      log.warn({ what, why: describeError(error), times: known.times, since: known.since }, says);
    },
    worked(who) {
      if (failing.size === 0) return;
      for (const [what, { who: all, times, since }] of failing) {
        if (!all.delete(who) || all.size > 0) continue;
        failing.delete(what);
        log.info({ what, times, since }, 'works again');
      }
    },
    counts: () => counts,
  };
}

const findDependency = (error: unknown): string | undefined =>
  error instanceof PayError && error.code === 'service.unavailable' && typeof error.details.dependency === 'string'
    ? error.details.dependency
    : undefined;
