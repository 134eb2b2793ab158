-- Stops what `p_scope` names (see `pauses`), from the next payment statement on. False when there is no such person. The
-- first reason of what the service found by itself stays: it says what began it. An operator's replaces the one before.
-- The person's row is locked: whoever opens an account for them waits, and then sees the pause.
CREATE OR REPLACE FUNCTION pause_payments(p_scope text, p_cause text, p_reason text, p_stops text, p_by text)
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  person uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
BEGIN
  IF person IS NOT NULL THEN
    PERFORM FROM users WHERE user_id = person FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO pauses AS known (scope, cause, reason, stops, paused_by) VALUES (p_scope, p_cause, p_reason, p_stops, p_by)
  ON CONFLICT (scope, cause) DO UPDATE
    SET reason = excluded.reason, stops = excluded.stops, paused_by = excluded.paused_by WHERE known.cause = 'operator';
  PERFORM ledger_pause_user(person, true);
  RETURN true;
END $$;
