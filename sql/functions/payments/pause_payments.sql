-- Stops what `p_scope` names (see `pauses`), from the next payment statement on. False when there is no such person. The
-- person's row is locked: whoever opens an account for them waits, and then sees the pause.
CREATE OR REPLACE FUNCTION pause_payments(p_scope text, p_reason text, p_by text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  person uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
BEGIN
  IF person IS NOT NULL THEN
    PERFORM FROM users WHERE user_id = person FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO pauses (scope, reason, paused_by) VALUES (p_scope, p_reason, p_by)
  ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason, paused_by = excluded.paused_by;
  UPDATE accounts SET paused = true WHERE user_id = person;
  RETURN true;
END $$;
