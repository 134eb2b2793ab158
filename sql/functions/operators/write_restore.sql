-- From now on, sessions and service keys that were made before are not usable until an operator confirms them. A false
-- alarm costs logins but no money. `note_restore` decides who may call this.
CREATE OR REPLACE FUNCTION write_restore(p_reason text, p_good_until timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Several processes may detect the same restore at the same time.
  LOCK TABLE restores IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM restores WHERE noted_at >= p_good_until) THEN RETURN false; END IF;
  INSERT INTO restores (reason) VALUES (left(p_reason, 500));
  -- Processes discard all cached names and sessions and look them up again.
  PERFORM ledger_forget_epochs();
  PERFORM write_audit('service:' || session_user, 'database.restored', NULL,
    jsonb_build_object('reason', left(p_reason, 500)));
  RETURN true;
END $$;
