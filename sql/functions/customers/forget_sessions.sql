-- Deletes sessions that ended or expired more than `p_days` ago, in these pages, with their tokens. No process still
-- caches their access tokens, which expire within a day at most. Also deletes ID tokens and logins of the web
-- wallet that would no longer be accepted.
CREATE OR REPLACE FUNCTION forget_sessions(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM sessions
   WHERE ctid >= p_from AND ctid < p_to AND coalesce(ended_at, expires_at) < now() - make_interval(days => p_days)
     AND expires_at < now();
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM spent_id_tokens WHERE hash IN (
    SELECT hash FROM spent_id_tokens WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT 1000);
  RETURN gone;
END $$;
