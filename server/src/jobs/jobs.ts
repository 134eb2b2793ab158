/**
 * `jobs` is work to do later: committed together with its cause, claimed with a short lease, retried with growing
 * pauses. Only this module writes the tables `jobs` and `job_topics`. Every module above may schedule jobs; only worker
 * processes run them.
 *
 * A lease reduces double work but does not prevent it: a worker that renews its lease too late may run a job at the
 * same time as another worker. So every job must be safe to repeat.
 */
import { newId } from '../core/ids.ts';
import type { Db, Queryable } from '../db/database.ts';

export interface Job {
  readonly jobId: bigint;
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  readonly claim: string;
  /** The job is recorded as waiting for this topic, and checks once more. */
  readonly waitsFor: string | null;
}

/** After the death of a worker, its sends wait this long for another one (`npm run chaos` measures it). */
export const LEASE_MS = 2_000;
const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 15_000;

/** Due at `runAt`; null means now. An existing job with the same kind and key stays as it is. */
async function scheduleJob(db: Queryable, kind: string, key: string, runAt: Date | null): Promise<void> {
  await db.query('SELECT schedule_job($1, $2, $3)', [kind, key, runAt]);
}

/** For work that repeats forever, for example one job per blockchain. */
export const ensureJob = (db: Queryable, kind: string, key: string): Promise<void> => scheduleJob(db, kind, key, null);

/** Uses `now()`, not `clock_timestamp()`: only a stable time can bound the index scan. */
export async function claimJobs(db: Queryable, kind: string, limit: number, leaseMs = LEASE_MS): Promise<Job[]> {
  const claim = newId();
  const rows = await db.query<{ job_id: bigint; key: string; attempts: number; waits_for: string | null }>(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', claim = $4, attempts = attempts + 1
      WHERE job_id IN (SELECT job_id FROM jobs WHERE kind = $1 AND run_at <= now()
                        ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING job_id, key, attempts, waits_for`,
    [kind, limit, leaseMs, claim],
  );
  return rows.map((row) => ({
    jobId: row.job_id,
    kind,
    key: row.key,
    attempts: row.attempts,
    claim,
    waitsFor: row.waits_for,
  }));
}

/**
 * Renews the leases while the work continues. Jobs that another worker has claimed in the meantime are left alone.
 * Returns how many leases are still ours.
 */
export async function extendLeases(db: Queryable, jobs: readonly Job[], leaseMs = LEASE_MS): Promise<number> {
  const rows = await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE job_id = ANY ($1) AND claim = $2 RETURNING 1`,
    [jobs.map((job) => job.jobId), jobs[0]?.claim, leaseMs],
  );
  return rows.length;
}

export async function endJobs(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await db.query('DELETE FROM jobs WHERE job_id = ANY ($1) AND claim = $2', [
    jobs.map((job) => job.jobId),
    jobs[0]!.claim,
  ]);
}

/** Runs the jobs again after `pauseMs`. This does not count as a failure. */
export async function postponeJobs(db: Queryable, jobs: readonly Job[], pauseMs: number): Promise<void> {
  if (jobs.length === 0) return;
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', attempts = 0, last_error = NULL,
            claim = NULL
      WHERE job_id = ANY ($1) AND claim = $2`,
    [jobs.map((job) => job.jobId), jobs[0]!.claim, pauseMs],
  );
}

/** The pauses grow up to `longestMs`. */
export async function retryJob(db: Queryable, job: Job, error: string, longestMs = LAST_PAUSE_MS): Promise<void> {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(job.attempts, 10), LAST_PAUSE_MS, longestMs);
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + $3 * interval '1 millisecond', last_error = $4, claim = NULL
      WHERE job_id = $1 AND claim = $2`,
    [job.jobId, job.claim, pauseMs, error.slice(0, 500)],
  );
}

/** A fallback in case no event wakes a waiting job. */
const LONGEST_WAIT_MS = 300_000;

/**
 * The jobs wait for `topic` and do not run until `wake_jobs` wakes them, in the same commit as the change they wait
 * for. No wake-up is lost between the check and the wait. First the jobs are only recorded as waiting, after all
 * transactions that are bringing about the change have committed, and they run once more. If that run finds nothing
 * either, and they have not been woken since, they really wait.
 */
export async function letJobsWait(db: Db, jobs: readonly Job[], topic: string): Promise<void> {
  if (jobs.length === 0) return;
  const claim = jobs[0]!.claim;
  const idsOf = (some: readonly Job[]) => some.map((job) => job.jobId);
  const known = jobs.filter((job) => job.waitsFor === topic);
  await db.query(
    `UPDATE jobs SET run_at = clock_timestamp() + CASE WHEN waits_for = $3 THEN $4 ELSE 0 END * interval '1 millisecond',
            claim = NULL, attempts = 0, last_error = NULL
      WHERE job_id = ANY ($1) AND claim = $2`,
    [idsOf(known), claim, topic, LONGEST_WAIT_MS],
  );
  const others = jobs.filter((job) => job.waitsFor !== topic);
  if (others.length === 0) return;
  await db.tx(async (tx) => {
    await tx.query('INSERT INTO job_topics (topic) VALUES ($1) ON CONFLICT DO NOTHING', [topic]);
    await tx.query('SELECT FROM job_topics WHERE topic = $1 FOR UPDATE', [topic]);
    await tx.query(
      `UPDATE jobs SET run_at = clock_timestamp(), waits_for = $3, claim = NULL, attempts = 0, last_error = NULL
        WHERE job_id = ANY ($1) AND claim = $2`,
      [idsOf(others), claim, topic],
    );
  });
}

/** Work that repeats forever, as other processes see it. */
interface SteadyJob {
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  /** The error of the last run, or null if it succeeded. */
  readonly lastError: string | null;
  /** How long the job has been due without a worker running it; 0 while a worker runs it. */
  readonly overdueSeconds: number;
}

/** Finds the job with this name for each of these blockchains, if it exists. */
export const findJobsOf = (
  db: Queryable,
  name: string,
  chains: readonly { readonly blockchain: string }[],
): Promise<SteadyJob[]> =>
  db.query<SteadyJob>(
    `SELECT kind, key, attempts, last_error AS "lastError",
            greatest(0, extract(epoch FROM clock_timestamp() - run_at))::float8 AS "overdueSeconds"
       FROM jobs WHERE kind = ANY ($1)`,
    [chains.map(({ blockchain }) => `${name} ${blockchain}`)],
  );

/** Records why work could not even begin, so that a payment that waits for it can show the reason. */
export async function noteFailure(db: Queryable, kind: string, key: string, error: string): Promise<void> {
  await db.query('UPDATE jobs SET last_error = $3, attempts = greatest(attempts, 1) WHERE kind = $1 AND key = $2', [
    kind,
    key,
    error.slice(0, 500),
  ]);
}
