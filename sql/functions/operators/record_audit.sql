-- The only way into the audit log. Called in the same database transaction as the deed.
CREATE OR REPLACE FUNCTION record_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO audit_log (actor, action, user_id, details) VALUES (p_actor, p_action, p_user, p_details);
$$;
