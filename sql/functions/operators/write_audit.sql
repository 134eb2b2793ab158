-- Writes one entry of the audit log in the same database transaction as the action. Only database functions call it,
-- after they have determined the actor.
CREATE OR REPLACE FUNCTION write_audit(p_actor text, p_action text, p_user uuid, p_details jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO audit_log (actor, action, user_id, details) VALUES (p_actor, p_action, p_user, p_details)
$$;
