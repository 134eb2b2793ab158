-- The tables of the module `jobs` and those of their columns whose names do not say everything.

COMMENT ON TABLE jobs IS 'Work to be done later, committed with its cause.';
COMMENT ON COLUMN jobs.kind IS 'Selects the function that does the job.';
COMMENT ON COLUMN jobs.key IS 'Subject of the job, for example a payment. There is one job per kind and key.';
COMMENT ON COLUMN jobs.run_at IS 'When it is due. A claim sets it to the end of a short lease.';
COMMENT ON COLUMN jobs.claim IS 'Identifies the lease.';
COMMENT ON COLUMN jobs.attempts IS 'Claims since the last run that did not fail.';
COMMENT ON COLUMN jobs.last_error IS 'Error of the last attempt.';
COMMENT ON COLUMN jobs.waits_for IS 'The topic that makes it due; see job_topics.';

COMMENT ON TABLE job_topics IS 'Topics that jobs wait for. Rows exist to be locked.';
COMMENT ON COLUMN job_topics.topic IS 'For example resume, which wakes jobs when a pause ends.';
