-- S14: whoever is or was an operator notes a restore.
CREATE OR REPLACE FUNCTION note_restore(p_reason text, p_good_until timestamptz DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Processes that notice the same restore come at once.
  PERFORM pg_advisory_xact_lock(7310470);
  IF EXISTS (SELECT FROM restores WHERE noted_at >= p_good_until) THEN RETURN false; END IF;
  INSERT INTO restores (reason) VALUES (left(p_reason, 500));
  -- Processes look up again all that they remember of names and sessions.
  PERFORM ledger_forget_epochs();
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION note_restore(text, timestamptz) TO {operator};
