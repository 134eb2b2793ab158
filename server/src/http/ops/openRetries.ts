import type { Logger } from 'pino';
import { describeError } from '../../core/describeError.ts';
import { PayError } from '../../core/errors.ts';

/**
 * Logs the first failure of a retried task with host and cause. Later failures are counted and logged at most once a
 * minute.
 */
interface Retries {
  /** `who` has failed and will retry. */
  failed(who: string, error: unknown, says: string): void;
  /** `who` has succeeded. */
  worked(who: string): void;
  /** Failures since the start, by what failed. */
  counts(): ReadonlyMap<string, number>;
}

interface Failing {
  readonly who: Set<string>;
  readonly since: Date;
  times: number;
  reportedMs: number;
  lastMs: number;
}

const EVERY_MS = 60_000;
/** A failure counts as over after this long without another one, even if no success was reported. */
const OVER_MS = 600_000;

export function openRetries(log: Logger, everyMs = EVERY_MS, now: () => number = Date.now): Retries {
  const failing = new Map<string, Failing>();
  const counts = new Map<string, number>();
  return {
    failed(who, error, says) {
      // All work that needs a network fails with it. Log one line for the network, not one per kind of work.
      const dependency = findDependency(error);
      const what = dependency ?? who;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      const known = failing.get(what);
      if (!known || now() - known.lastMs > OVER_MS) {
        const since = new Date(now());
        failing.set(what, { who: new Set([who]), since, times: 1, reportedMs: now(), lastMs: now() });
        // A stack only helps if the cause is unknown.
        log.warn({ what, why: describeError(error), ...(dependency === undefined && { err: error }) }, says);
        return;
      }
      known.who.add(who);
      known.times++;
      known.lastMs = now();
      if (now() - known.reportedMs < everyMs) return;
      known.reportedMs = now();
      log.warn({ what, why: describeError(error), times: known.times, since: known.since }, says);
    },
    worked(who) {
      if (failing.size === 0) return;
      for (const [what, { who: all, times, since }] of failing) {
        if (!all.delete(who) || all.size > 0) continue;
        failing.delete(what);
        log.info({ what, times, since }, 'recovered');
      }
    },
    counts: () => counts,
  };
}

const findDependency = (error: unknown): string | undefined =>
  error instanceof PayError && error.code === 'service.unavailable' && typeof error.details.dependency === 'string'
    ? error.details.dependency
    : undefined;
