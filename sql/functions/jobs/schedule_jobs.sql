-- Adds many jobs in one statement; see `schedule_job`.
CREATE OR REPLACE FUNCTION schedule_jobs(p_kinds text[], p_keys text[], p_run_at timestamptz[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, key, run_at)
  SELECT u.kind, u.key, coalesce(u.run_at, now())
    FROM unnest(p_kinds, p_keys, p_run_at) WITH ORDINALITY AS u(kind, key, run_at, n) ORDER BY u.n
  ON CONFLICT (kind, key) DO NOTHING;
END $$;
