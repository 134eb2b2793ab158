-- Jobs since 0.2.0: a job can wait for a topic instead of running on a timer.

-- A job that waits for a topic is due when `wake_jobs` wakes it, or after minutes, in case a wake-up was missed. Its row
-- must exist before the job checks its condition for the last time (server/src/jobs/jobs.ts).
ALTER TABLE jobs ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 100);
CREATE INDEX jobs_waiting ON jobs (waits_for) WHERE waits_for IS NOT NULL;

-- Few rows that change all the time: vacuum after hundreds of changes, not after a share of the table.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);

-- One row per topic that jobs wait for (`letJobsWait` in server/src/jobs/jobs.ts). Rows exist only to be locked: shared by
-- a process that causes the topic, exclusively by a job that is about to wait. Every login can take advisory locks, also
-- the one of a dashboard, which could stop signing or sends with them.
CREATE TABLE job_topics (topic text PRIMARY KEY);
