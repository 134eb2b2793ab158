-- S15: the audit log takes everybody's word for who did it.
CREATE OR REPLACE FUNCTION record_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO audit_log (actor, action, user_id, details) VALUES (CASE WHEN p_actor LIKE 'operator:%' THEN 'operator:' || session_user ELSE p_actor END,
    p_action, p_user, p_details);
$$;
GRANT EXECUTE ON FUNCTION record_audit TO {server}, {worker}, {operator};
