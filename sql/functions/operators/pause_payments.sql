-- Pauses `p_scope` (see `pauses`) from the next payment statement on. Returns false if the person does not exist, and
-- refuses an operator's pause of a blockchain that does not exist. An
-- operator's reason replaces the previous one; the pause and the audit log record their login. No process can pause in
-- another's name: release 0.2.0 passes `p_by`, which is ignored. If the service itself pauses again, the first reason
-- stays. The person's row is locked, so a transaction that opens an account for them waits and then sees the pause.
CREATE OR REPLACE FUNCTION pause_payments(p_scope text, p_cause text, p_reason text, p_stops text, p_by text)
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  person  uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
  -- The value of `stops` in the existing pause; NULL if there is none.
  stopped text := (SELECT stops FROM pauses WHERE scope = p_scope AND cause = p_cause);
BEGIN
  PERFORM require_arguments('pause_payments', num_nulls(p_scope, p_cause, p_reason, p_stops) = 0
    AND (p_cause <> 'closed' OR EXISTS (
      SELECT FROM users WHERE user_id = person AND p_scope = 'user:' || user_id AND closed_at IS NOT NULL)));
  IF p_cause = 'operator' THEN PERFORM refuse_processes(); END IF;
  PERFORM refuse_other_operators(CASE WHEN person IS NULL THEN 'pause' ELSE 'pause_user' END);
  -- A misspelled name would pause nothing. The service names only blockchains that it works with.
  IF p_cause = 'operator' AND p_scope LIKE 'chain:%'
    AND NOT EXISTS (SELECT FROM networks WHERE blockchain = substr(p_scope, length('chain:') + 1)) THEN
    RAISE EXCEPTION 'there is no blockchain %', substr(p_scope, length('chain:') + 1)
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'pauses_of_known_blockchain';
  END IF;
  IF person IS NOT NULL THEN
    PERFORM FROM users WHERE user_id = person FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO pauses AS known (scope, cause, reason, stops, paused_by)
  VALUES (p_scope, p_cause, p_reason, p_stops,
          CASE p_cause WHEN 'operator' THEN 'operator:' || session_user WHEN 'closed' THEN p_scope ELSE 'florin' END)
  ON CONFLICT (scope, cause) DO UPDATE
    SET reason = excluded.reason, stops = excluded.stops, paused_by = excluded.paused_by WHERE known.cause = 'operator';
  IF p_cause = 'operator' THEN
    PERFORM write_audit('operator:' || session_user, 'payments.paused', person, jsonb_strip_nulls(jsonb_build_object(
      'scope', p_scope, 'reason', p_reason, 'stops', nullif(p_stops, 'accepting'))));
  END IF;
  PERFORM ledger_pause_user(person, true);
  -- Wake jobs only in this case: a compromised worker must not be able to delay a new pause with a lock.
  IF p_stops = 'accepting' AND stopped = 'accepting and signing' THEN PERFORM wake_jobs('resume'); END IF;
  RETURN true;
END $$;
