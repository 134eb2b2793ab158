/**
 * `jobs` is work that must happen later: committed with its cause, claimed with a short lease, retried with growing
 * pauses. It alone writes `jobs`, but for the rows that `accept_send` inserts with their cause; only a worker process
 * runs them.
 *
 * A lease is a question of effort, never of safety: a worker that slept through its own lease may run a job a second
 * time beside another one, so every job is written to be repeated.
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

/** Work of its own that is due at a time, or at once. A job that is there already stays as it is. */
export async function scheduleJob(db: Queryable, kind: string, key: string, runAt: Date | null): Promise<void> {
  await db.query(
    'INSERT INTO jobs (kind, key, run_at) VALUES ($1, $2, coalesce($3, now())) ON CONFLICT (kind, key) DO NOTHING',
    [kind, key, runAt],
  );
}

/** Work that comes back for ever, for example per blockchain. */
export async function ensureJob(db: Queryable, kind: string, key: string): Promise<void> {
  await db.query('INSERT INTO jobs (kind, key) VALUES ($1, $2) ON CONFLICT (kind, key) DO NOTHING', [kind, key]);
}

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

/** While the work lasts; false for the jobs that somebody else has taken over meanwhile. */
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

/** Comes back after `pauseMs`: not a failure, there is simply more to do later. */
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
