-- Ends one pause. Returns false if there was none. Sends that wait for it continue. Only an operator can end a pause of
-- an operator or of a closed account. A person who is also paused for another cause stays paused.
CREATE OR REPLACE FUNCTION resume_payments(p_scope text, p_cause text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  person uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
BEGIN
  PERFORM require_arguments('resume_payments', num_nulls(p_scope, p_cause) = 0);
  IF p_cause IN ('operator', 'closed') THEN PERFORM refuse_processes(); END IF;
  PERFORM refuse_other_operators(CASE WHEN person IS NULL THEN 'pause' ELSE 'pause_user' END);
  PERFORM FROM users WHERE user_id = person FOR NO KEY UPDATE;
  DELETE FROM pauses WHERE scope = p_scope AND cause = p_cause;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_cause = 'operator' OR is_operator_login() THEN
    PERFORM write_audit('operator:' || session_user, 'payments.resumed', person, jsonb_strip_nulls(jsonb_build_object(
      'scope', p_scope, 'cause', nullif(p_cause, 'operator'))));
  END IF;
  PERFORM ledger_pause_user(person, EXISTS (SELECT FROM pauses WHERE scope = p_scope));
  IF person IS NULL THEN PERFORM wake_jobs('resume'); END IF;
  RETURN true;
END $$;
