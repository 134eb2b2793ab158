-- A person creates a key for their own account. Needs a login that is younger than five minutes, or a proof
-- with a passkey, and tells the person
-- (`record_key_state`). The database receives only the key's hash. Returns the code and details of a refusal; NULL if the
-- key was created.
--
-- `p_payment`, `p_day` and `p_month` limit what the key may spend. A key that pays needs the first two.
--
-- Lock order: the person, keys, the session.
CREATE OR REPLACE FUNCTION create_account_key(
  p_user uuid, p_session uuid, p_key uuid, p_hash bytea, p_name text, p_scopes text[], p_expires timestamptz, p_clients inet[],
  p_payment bigint, p_day bigint, p_month bigint
) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  most CONSTANT integer := 20;
  may jsonb;
BEGIN
  PERFORM require_arguments('create_account_key',
    num_nulls(p_user, p_session, p_key, p_hash, p_name) = 0 AND is_list(p_scopes, cardinality(p_scopes))
    AND array_position(p_scopes, NULL) IS NULL AND coalesce(p_expires > clock_timestamp(), true)
    AND (p_clients IS NULL OR is_list(p_clients, cardinality(p_clients)) AND cardinality(p_clients) BETWEEN 1 AND 20
         AND array_position(p_clients, NULL) IS NULL)
    AND is_amount(VARIADIC array_remove(ARRAY[p_payment, p_day, p_month], NULL))
    AND (NOT p_scopes && ARRAY['own:pay', 'own:payouts'] OR num_nulls(p_payment, p_day) = 0));
  IF (SELECT closed_at FROM users WHERE user_id = p_user FOR SHARE) IS NOT NULL THEN
    RETURN '{"code": "account.closed", "details": {}}';
  END IF;
  LOCK TABLE key_rules IN EXCLUSIVE MODE;
  IF (proved_at(p_user, p_session) > clock_timestamp() - interval '5 minutes') IS NOT TRUE THEN
    RETURN '{"code": "auth.old_login", "details": {}}';
  END IF;
  IF (SELECT count(*) FROM service_keys k WHERE k.user_id = p_user AND account_key_works(k.key_id)) >= most THEN
    RETURN jsonb_build_object('code', 'key.too_many', 'details', jsonb_build_object('maximum', most::text));
  END IF;
  -- A host's address with a prefix means its network.
  may := jsonb_build_object('any_person', false, 'users', jsonb_build_array(p_user), 'wallets', '[]'::jsonb, 'treasury', NULL,
    'expires_at', p_expires, 'clients',
    CASE WHEN p_clients IS NOT NULL THEN to_jsonb(ARRAY(SELECT network(c)::text FROM unnest(p_clients) AS c)) END,
    'people', jsonb_build_object('payment', p_payment::text, 'day', p_day::text, 'month', p_month::text));
  INSERT INTO service_keys (key_id, name, hash, scopes, user_id) VALUES (p_key, p_name, p_hash, p_scopes, p_user);
  PERFORM write_key_rules(p_key, may, NULL);
  PERFORM write_audit('user:' || p_user, 'key.created', p_user,
    jsonb_build_object('key_id', p_key, 'name', p_name, 'scopes', array_to_string(p_scopes, ' '), 'may', may));
  RETURN NULL;
END $$;
