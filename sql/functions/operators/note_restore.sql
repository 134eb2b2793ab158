-- Notes that this database was restored from a backup: from now on sessions and service keys that were made before are not
-- usable until an operator confirms them. A false alarm costs logins, never money. `p_good_until`: when the caller last
-- saw that this was no older copy; a restore that was noted since then explains what the caller sees, and is not noted
-- again. False: it was not.
CREATE OR REPLACE FUNCTION note_restore(p_reason text, p_good_until timestamptz DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Processes that notice the same restore come at once.
  PERFORM pg_advisory_xact_lock(7310470);
  IF EXISTS (SELECT FROM restores WHERE noted_at >= p_good_until) THEN RETURN false; END IF;
  INSERT INTO restores (reason) VALUES (left(p_reason, 500));
  -- Processes look up again all that they remember of names and sessions.
  PERFORM ledger_forget_epochs();
  PERFORM record_audit('service:' || session_user, 'database.restored', NULL,
    jsonb_build_object('reason', left(p_reason, 500)));
  RETURN true;
END $$;
