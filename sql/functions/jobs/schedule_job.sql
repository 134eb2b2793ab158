-- Adds a job that is due at `p_run_at`, or now if it is NULL. An existing job with the same kind and key stays
-- unchanged.
CREATE OR REPLACE FUNCTION schedule_job(p_kind text, p_key text, p_run_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO jobs (kind, key, run_at) VALUES (p_kind, p_key, coalesce(p_run_at, now())) ON CONFLICT (kind, key) DO NOTHING
$$;
