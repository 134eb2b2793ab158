-- Changes the rules of a key, from the next payment on. Returns false if no such key of a service is in use:
-- only its owner decides what an account key may do.
CREATE OR REPLACE FUNCTION change_key(p_key uuid, p_rules jsonb, p_reason text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('change_key', num_nulls(p_key, p_reason) = 0 AND jsonb_typeof(p_rules) = 'object');
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  PERFORM FROM service_keys WHERE key_id = p_key AND revoked_at IS NULL AND user_id IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_key_rules(p_key, p_rules, p_reason);
  PERFORM write_audit('operator:' || session_user, 'key.changed', NULL,
    jsonb_build_object('key_id', p_key, 'reason', p_reason, 'may', p_rules));
  RETURN true;
END $$;
