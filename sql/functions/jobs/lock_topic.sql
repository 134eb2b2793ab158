-- A function that wakes jobs holds this lock in shared mode until its commit. A job that is about to wait takes the
-- same lock exclusively (`jobs.ts`). So either the job sees what has happened, or the function finds it waiting.
CREATE OR REPLACE FUNCTION lock_topic(p_topic text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_topics (topic) VALUES (p_topic) ON CONFLICT DO NOTHING;
  PERFORM FROM job_topics WHERE topic = p_topic FOR SHARE;
END $$;
