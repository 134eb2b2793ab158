-- Entries of the audit log older than `p_days`, in these pages. A trigger refuses younger ones than a year to everybody.
-- That they are gone is an entry too.
CREATE OR REPLACE FUNCTION forget_audit(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM audit_log WHERE ctid >= p_from AND ctid < p_to AND at < now() - make_interval(days => p_days);
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    PERFORM record_audit('service:retention', 'audit.forgotten', NULL,
      jsonb_build_object('entries', gone, 'older_than_days', p_days));
  END IF;
  RETURN gone;
END $$;
