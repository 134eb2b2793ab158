-- Adds a service key, under the operator's own login. The database receives only the key's hash, never the key.
CREATE OR REPLACE FUNCTION create_key(p_key uuid, p_name text, p_hash bytea, p_scopes text[], p_rules jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('create_key',
    num_nulls(p_key, p_name, p_hash) = 0 AND jsonb_typeof(p_rules) = 'object'
    AND is_list(p_scopes, cardinality(p_scopes)) AND array_position(p_scopes, NULL) IS NULL);
  PERFORM require_operator('keys');
  INSERT INTO service_keys (key_id, name, hash, scopes) VALUES (p_key, p_name, p_hash, p_scopes);
  PERFORM write_key_rules(p_key, p_rules, NULL);
  PERFORM write_audit('operator:' || session_user, 'key.created', NULL,
    jsonb_build_object('key_id', p_key, 'name', p_name, 'scopes', array_to_string(p_scopes, ' '), 'may', p_rules));
END $$;
