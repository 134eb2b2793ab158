-- A job that waits for something to happen is not due before, except after minutes, in case nobody said so. `wake_jobs`
-- makes it due. Its row must be there before it looks for the last time: see `jobs.ts`.
ALTER TABLE jobs ADD COLUMN waits_for text CHECK (length(waits_for) BETWEEN 1 AND 100);
CREATE INDEX jobs_waiting ON jobs (waits_for) WHERE waits_for IS NOT NULL;

-- Few rows that change all the time: clean up after hundreds of changes, not after a share of the table.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
