-- A person revokes a key of their account: from the commit on, nothing is accepted with it. Returns false if they have no
-- such key in use.
CREATE OR REPLACE FUNCTION revoke_account_key(p_user uuid, p_key uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('revoke_account_key', num_nulls(p_user, p_key) = 0);
  IF NOT EXISTS (SELECT FROM service_keys WHERE key_id = p_key AND user_id = p_user AND revoked_at IS NULL) THEN
    RETURN false;
  END IF;
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  UPDATE service_keys SET revoked_at = now() WHERE key_id = p_key AND user_id = p_user AND revoked_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM write_audit('user:' || p_user, 'key.revoked', p_user, jsonb_build_object('key_id', p_key));
  RETURN true;
END $$;
