-- Makes jobs due with this commit, because what they wait for may have happened.
CREATE OR REPLACE FUNCTION wake_jobs(p_topic text) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_topic(p_topic);
  UPDATE jobs SET run_at = least(run_at, clock_timestamp()), waits_for = NULL
   WHERE job_id IN (SELECT job_id FROM jobs WHERE waits_for = p_topic ORDER BY job_id FOR UPDATE);
END $$;
