-- Writes an entry of the audit log in the same database transaction as the action. A compromised process can write
-- entries about its own work, but not in the name of an operator or of another kind of process (`audit_actor`).
CREATE OR REPLACE FUNCTION record_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('record_audit', num_nulls(p_actor, p_action) = 0 AND jsonb_typeof(p_details) = 'object');
  PERFORM write_audit(audit_actor(p_actor), p_action, p_user, p_details);
END $$;
