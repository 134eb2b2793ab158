-- One row per topic that jobs wait for (`letJobsWait` in server/src/jobs/jobs.ts), only to be locked: shared by whoever
-- brings it about, alone by a job that is about to wait.
CREATE TABLE job_topics (topic text PRIMARY KEY);

-- Workers do not shorten the audit log any more; the owner does (`forget_audit`).
DELETE FROM retention WHERE what = 'audit';
ALTER TABLE retention
  DROP CONSTRAINT retention_what_check,
  ADD CONSTRAINT retention_what_check CHECK (what IN ('answers', 'deliveries', 'refusals', 'sessions', 'spendings'));
DROP FUNCTION IF EXISTS forget_audit(integer, tid, tid);
