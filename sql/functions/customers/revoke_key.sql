-- An operator revokes a key, of a service or of an account: from the commit on, nothing is accepted with it. Returns
-- false if no such key is in use.
CREATE OR REPLACE FUNCTION revoke_key(p_key uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('revoke_key', p_key IS NOT NULL);
  PERFORM require_operator('keys');
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  UPDATE service_keys SET revoked_at = now() WHERE key_id = p_key AND revoked_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_audit('operator:' || session_user, 'key.revoked',
    (SELECT user_id FROM service_keys WHERE key_id = p_key), jsonb_build_object('key_id', p_key));
  RETURN true;
END $$;
