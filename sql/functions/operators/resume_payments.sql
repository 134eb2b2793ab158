-- Ends one pause. False when there was none. Sends that wait for it go on. A person
-- who is paused for another cause too stays paused.
CREATE OR REPLACE FUNCTION resume_payments(p_scope text, p_cause text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  person uuid := substring(p_scope FROM '^user:(.+)$')::uuid;
BEGIN
  PERFORM FROM users WHERE user_id = person FOR UPDATE;
  DELETE FROM pauses WHERE scope = p_scope AND cause = p_cause;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_pause_user(person, EXISTS (SELECT FROM pauses WHERE scope = p_scope));
  IF person IS NULL THEN PERFORM wake_jobs('resume'); END IF;
  RETURN true;
END $$;
