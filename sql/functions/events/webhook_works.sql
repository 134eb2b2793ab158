-- Whether events may be sent to an endpoint with this key. The endpoint of an account stops when its key ends; those of
-- services and operators do not depend on a key.
CREATE OR REPLACE FUNCTION webhook_works(p_key uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_key IS NULL OR EXISTS (SELECT FROM service_keys k
                                   WHERE k.key_id = p_key AND (k.user_id IS NULL OR account_key_works(k.key_id)))
$$;
