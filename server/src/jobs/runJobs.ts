import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../core/describeError.ts';
import type { Db } from '../db/database.ts';
import { claimJobs, endJobs, extendLeases, type Job, LEASE_MS, letJobsWait, postponeJobs, retryJob } from './jobs.ts';
import { type DueJobs, watchDue } from './watchDue.ts';

/**
 * `done` ends the job. `againAfterMs` repeats it without counting a failure. `waitsFor` repeats it when the topic is
 * woken. An Error retries it with growing pauses.
 */
export type JobOutcome = 'done' | { readonly againAfterMs: number } | { readonly waitsFor: string } | Error;

export interface JobHandler {
  readonly kind: string;
  /** How many jobs are claimed and run together. */
  readonly batch: number;
  /** How many such batches one worker runs in parallel; default 1. Only one of them claims jobs at a time. */
  readonly width?: number;
  /** After a failure, a job runs again after at most this long. By default the pauses grow to 15 s. */
  readonly retryWithinMs?: number;
  /** Returns one outcome per key, in order. A thrown error is the outcome of all of them. */
  run(keys: readonly string[]): Promise<readonly JobOutcome[]>;
}

interface RunJobsOptions {
  readonly leaseMs?: number;
  /** Shared by several calls for one database. */
  readonly due?: DueJobs;
  readonly onError?: (job: Job, error: Error) => void;
  /** Called when a handler returns, whatever the outcome. `failed`: at least one of its jobs failed. */
  readonly onPass?: (kind: string, failed: boolean) => void;
  /** Called when a handler has not returned for `hangMs`. Its leases are no longer renewed. */
  readonly onHang?: (kind: string) => void;
  readonly hangMs?: number;
}

const OUTAGE_PAUSE_MS = 500;
/** No work takes this long. If it does, another worker may take the job; repeating it is safe. */
const HANG_MS = 300_000;
/** How long a worker keeps a frequently repeating job before another worker may have it. */
const KEEP_MS = 60_000;

/** Runs the handlers in parallel until `signal` is aborted, then finishes the running jobs. */
export async function runJobs(
  db: Db,
  handlers: readonly JobHandler[],
  signal: AbortSignal,
  options: RunJobsOptions = {},
): Promise<void> {
  const { leaseMs = LEASE_MS, due = watchDue(db), hangMs = HANG_MS } = options;
  // Every waiting loop has a listener; Node warns about more than ten.
  setMaxListeners(0, signal);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function runOnce(handler: JobHandler, jobs: readonly Job[]): Promise<void> {
    let isOurs = true;
    let passedMs = performance.now();
    const beat = setInterval(() => {
      if (performance.now() - passedMs > hangMs) {
        clearInterval(beat);
        options.onHang?.(handler.kind);
        return;
      }
      void extendLeases(db, jobs, leaseMs).then(
        (kept) => (isOurs &&= kept === jobs.length),
        () => {},
      );
    }, leaseMs / 3);
    try {
      const run = async (): Promise<readonly JobOutcome[]> => {
        const found = await handler.run(jobs.map((job) => job.key)).catch((error: Error) => jobs.map(() => error));
        passedMs = performance.now();
        options.onPass?.(
          handler.kind,
          found.some((one) => one instanceof Error),
        );
        return found;
      };
      const began = performance.now();
      let outcomes: readonly JobOutcome[] = await run();
      // Keep a frequently repeating job: claiming it and giving it back each time would leave two dead rows per run,
      // and every claim must skip them as long as any older snapshot exists.
      for (;;) {
        const everyMs = handler.batch === 1 ? findEvery(outcomes, leaseMs) : undefined;
        // After a failure, give the job back once, so that its row shows that it works again.
        if (everyMs === undefined || jobs[0]!.attempts > 1) break;
        await pause(everyMs);
        if (signal.aborted || !isOurs || performance.now() - began > KEEP_MS) break;
        outcomes = await run();
      }
      clearInterval(beat);
      for (const [i, job] of jobs.entries()) {
        const outcome = outcomes[i]!;
        if (outcome instanceof Error) options.onError?.(job, outcome);
      }
      await recordSoon(handler, jobs, outcomes);
    } finally {
      clearInterval(beat);
    }
  }

  /**
   * Tries again while the database does not answer: the jobs would otherwise rest until their lease ends. Repeating is
   * safe, because only the owner of the claim changes a job, and recording gives the claim back.
   */
  async function recordSoon(handler: JobHandler, jobs: readonly Job[], outcomes: readonly JobOutcome[]): Promise<void> {
    for (const endMs = performance.now() + leaseMs; ; await pause(OUTAGE_PAUSE_MS)) {
      try {
        return await record(handler, jobs, outcomes);
      } catch (error) {
        if (signal.aborted || performance.now() >= endMs) throw error;
      }
    }
  }

  async function record(
    { retryWithinMs }: JobHandler,
    jobs: readonly Job[],
    outcomes: readonly JobOutcome[],
  ): Promise<void> {
    await endJobs(
      db,
      jobs.filter((_, i) => outcomes[i] === 'done'),
    );
    const later = new Map<number | string, Job[]>();
    for (const [i, job] of jobs.entries()) {
      const outcome = outcomes[i]!;
      if (outcome instanceof Error) {
        await retryJob(db, job, describeError(outcome), retryWithinMs);
      } else if (outcome !== 'done') {
        const when = 'waitsFor' in outcome ? outcome.waitsFor : outcome.againAfterMs;
        later.set(when, [...(later.get(when) ?? []), job]);
      }
    }
    for (const [when, some] of later) {
      await (typeof when === 'string' ? letJobsWait(db, some, when) : postponeJobs(db, some, when));
    }
  }

  /** Waits until a job is due if there is none. Another worker may then have taken it. */
  async function claim({ kind, batch }: JobHandler): Promise<readonly Job[]> {
    if (signal.aborted) return [];
    const jobs = await claimJobs(db, kind, batch, leaseMs);
    if (jobs.length === 0) await due.wait(kind, signal);
    return jobs;
  }

  async function loop(handler: JobHandler, inTurn: <T>(work: () => Promise<T>) => Promise<T>): Promise<void> {
    while (!signal.aborted) {
      try {
        const jobs = await inTurn(() => claim(handler));
        if (jobs.length > 0) await runOnce(handler, jobs);
      } catch {
        // The database does not answer. The lease expires, and the job runs again.
        await pause(OUTAGE_PAUSE_MS);
      }
    }
  }
  await Promise.all(
    handlers.flatMap((handler) => {
      const inTurn = takeTurns();
      return Array.from({ length: handler.width ?? 1 }, () => loop(handler, inTurn));
    }),
  );
}

/** Runs one piece of work after another. */
function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Returns the pause of a single job that repeats within the time of one lease. */
function findEvery(outcomes: readonly JobOutcome[], leaseMs: number): number | undefined {
  const [outcome] = outcomes;
  if (outcomes.length !== 1 || typeof outcome !== 'object' || !('againAfterMs' in outcome)) return undefined;
  return outcome.againAfterMs <= leaseMs ? outcome.againAfterMs : undefined;
}
