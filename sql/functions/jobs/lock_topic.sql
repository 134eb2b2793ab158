-- Taken by whoever wakes jobs, until the commit. A job that is about to wait takes the same lock alone (`jobs.ts`): so it
-- either sees what has happened, or is seen waiting.
CREATE OR REPLACE FUNCTION lock_topic(p_topic text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_topics (topic) VALUES (p_topic) ON CONFLICT DO NOTHING;
  PERFORM FROM job_topics WHERE topic = p_topic FOR SHARE;
END $$;
