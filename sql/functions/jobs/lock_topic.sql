-- Taken by whoever wakes jobs, until the commit. A job that is about to wait takes the same lock alone (`jobs.ts`): so it
-- either sees what has happened, or is seen waiting.
CREATE OR REPLACE FUNCTION lock_topic(p_topic text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended(p_topic, 0))
$$;
