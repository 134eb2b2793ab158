import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/database.ts';
import { claimJobs, endJobs, extendLeases, type Job, LEASE_MS, postponeJobs, retryJob } from './jobs.ts';

/**
 * `done` ends the job, `againAfterMs` repeats it without counting a failure, an Error retries it with growing pauses.
 */
export type JobOutcome = 'done' | { readonly againAfterMs: number } | Error;

export interface JobHandler {
  readonly kind: string;
  /** How many jobs are claimed and run together. */
  readonly batch: number;
  /** One outcome per key, in order. An error it throws is the outcome of all of them. */
  run(keys: readonly string[]): Promise<readonly JobOutcome[]>;
}

interface RunJobsOptions {
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly onError?: (job: Job, error: Error) => void;
}

const POLL_MS = 100;
const OUTAGE_PAUSE_MS = 500;

/** Runs the handlers side by side until `signal` is aborted; jobs that are running then are finished. */
export async function runJobs(
  db: Db,
  handlers: readonly JobHandler[],
  signal: AbortSignal,
  options: RunJobsOptions = {},
): Promise<void> {
  const { leaseMs = LEASE_MS, pollMs = POLL_MS } = options;
  // Every waiting loop has a listener; Node warns about more than ten.
  setMaxListeners(0, signal);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function runOnce(handler: JobHandler): Promise<boolean> {
    const jobs = await claimJobs(db, handler.kind, handler.batch, leaseMs);
    if (jobs.length === 0) return false;
    const beat = setInterval(() => void extendLeases(db, jobs, leaseMs).catch(() => {}), leaseMs / 3);
    try {
      const outcomes = await handler.run(jobs.map((job) => job.key)).catch((error: Error) => jobs.map(() => error));
      clearInterval(beat);
      await record(jobs, outcomes);
    } finally {
      clearInterval(beat);
    }
    return true;
  }

  async function record(jobs: readonly Job[], outcomes: readonly JobOutcome[]): Promise<void> {
    await endJobs(
      db,
      jobs.filter((_, i) => outcomes[i] === 'done'),
    );
    const later = new Map<number, Job[]>();
    for (const [i, job] of jobs.entries()) {
      const outcome = outcomes[i]!;
      if (outcome instanceof Error) {
        options.onError?.(job, outcome);
        await retryJob(db, job, outcome.message);
      } else if (outcome !== 'done') {
        later.set(outcome.againAfterMs, [...(later.get(outcome.againAfterMs) ?? []), job]);
      }
    }
    for (const [pauseMs, some] of later) await postponeJobs(db, some, pauseMs);
  }

  async function loop(handler: JobHandler): Promise<void> {
    while (!signal.aborted) {
      // The database does not answer: the lease runs out, and the job is run again.
      const worked = await runOnce(handler).catch(() => 'outage' as const);
      if (worked === 'outage') await pause(OUTAGE_PAUSE_MS);
      else if (!worked) await pause(pollMs);
    }
  }
  await Promise.all(handlers.map(loop));
}
