-- Deletes entries of the audit log older than `p_days`, and says so in an entry. For the owner alone: no login of a process
-- or of an operator may call it. A trigger refuses entries younger than a year to everybody.
CREATE OR REPLACE FUNCTION forget_audit(p_days integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  PERFORM require_arguments('forget_audit', p_days >= 366);
  DELETE FROM audit_log WHERE at < now() - make_interval(days => p_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    PERFORM write_audit('service:owner', 'audit.forgotten', NULL,
      jsonb_build_object('entries', gone, 'older_than_days', p_days));
  END IF;
  RETURN gone;
END $$;
