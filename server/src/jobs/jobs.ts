/**
 * `jobs` is work to be done later: committed together with its cause, claimed with a short lease, retried with growing
 * pauses. Only this room writes the table `jobs`. Only worker processes run jobs.
 *
 * A lease saves double work but does not prevent it: a worker that is too slow to renew its lease may run a job at the
 * same time as another worker. So every job must be safe to repeat.
 */
import { newId } from '../core/ids.ts';
import type { Queryable } from '../db/database.ts';

export interface Job {
  readonly jobId: bigint;
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  readonly claim: string;
}

export const LEASE_MS = 4_000;
const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 15_000;

/** Due at `runAt`, null for now. An existing job with the same kind and key stays as it is. */
export async function scheduleJob(db: Queryable, kind: string, key: string, runAt: Date | null): Promise<void> {
  await db.query('SELECT schedule_job($1, $2, $3)', [kind, key, runAt]);
}

/** For work that repeats for ever, for example one job per blockchain. */
export const ensureJob = (db: Queryable, kind: string, key: string): Promise<void> => scheduleJob(db, kind, key, null);

export async function claimJobs(db: Queryable, kind: string, limit: number, leaseMs = LEASE_MS): Promise<Job[]> {
  const claim = newId();
  const rows = await db.query<{ job_id: bigint; key: string; attempts: number }>(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', claim = $4, attempts = attempts + 1
      WHERE job_id IN (SELECT job_id FROM jobs WHERE kind = $1 AND run_at <= clock_timestamp()
                        ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING job_id, key, attempts`,
    [kind, limit, leaseMs, claim],
  );
  return rows.map((row) => ({ jobId: row.job_id, kind, key: row.key, attempts: row.attempts, claim }));
}

/** Renews the leases while the work goes on. Jobs that another worker has claimed meanwhile are left alone. */
export async function extendLeases(db: Queryable, jobs: readonly Job[], leaseMs = LEASE_MS): Promise<void> {
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE job_id = ANY ($1) AND claim = $2`,
    [jobs.map((job) => job.jobId), jobs[0]?.claim, leaseMs],
  );
}

export async function endJobs(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await db.query('DELETE FROM jobs WHERE job_id = ANY ($1) AND claim = $2', [
    jobs.map((job) => job.jobId),
    jobs[0]!.claim,
  ]);
}

/** The job runs again after `pauseMs`; this does not count as a failure. */
export async function postponeJobs(db: Queryable, jobs: readonly Job[], pauseMs: number): Promise<void> {
  if (jobs.length === 0) return;
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', attempts = 0, last_error = NULL,
            claim = NULL
      WHERE job_id = ANY ($1) AND claim = $2`,
    [jobs.map((job) => job.jobId), jobs[0]!.claim, pauseMs],
  );
}

export async function retryJob(db: Queryable, job: Job, error: string): Promise<void> {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(job.attempts, 10), LAST_PAUSE_MS);
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', last_error = $4, claim = NULL
      WHERE job_id = $1 AND claim = $2`,
    [job.jobId, job.claim, pauseMs, error.slice(0, 500)],
  );
}
