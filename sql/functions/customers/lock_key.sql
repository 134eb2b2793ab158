-- For whoever changes a key depending on what it may do now: nobody else changes it, and no payment is accepted with it,
-- until the commit (see `key_lock`).
CREATE OR REPLACE FUNCTION lock_key(p_key uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_operator('keys');
  PERFORM pg_advisory_xact_lock(key_lock(p_key));
END $$;
