-- Deletes entries of the audit log older than `p_days`, and records the deletion in an entry. Only the owner may call
-- it, not the login of a process or an operator. A trigger prevents everyone from deleting entries younger than a year.
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
