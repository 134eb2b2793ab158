-- A person sets the amount above which each payment needs a passkey; NULL: none does. Lowering it needs nothing but a session
-- and a passkey to have; raising it and switching it off need a proof. Returns NULL, or the code of the refusal.
CREATE OR REPLACE FUNCTION set_passkey_rule(p_user uuid, p_session uuid, p_above bigint) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  before bigint;
BEGIN
  PERFORM require_arguments('set_passkey_rule', num_nulls(p_user, p_session) = 0
    AND coalesce(p_above BETWEEN 0 AND 999999999999999, true));
  SELECT passkey_above INTO before FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  -- Accounts come before sessions, as when sessions end.
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN RETURN 'passkey.none'; END IF;
  IF before IS NOT DISTINCT FROM p_above THEN RETURN NULL; END IF;
  IF before IS NOT NULL AND (p_above < before) IS NOT TRUE
    AND NOT use_proof(p_user, jsonb_build_object('do', 'rule', 'above', p_above::text)) THEN
    RETURN 'passkey.required';
  END IF;
  PERFORM write_passkey_rule(p_user, p_above);
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.rule_changed',
    jsonb_build_object('before', before::text, 'above', p_above::text));
  RETURN NULL;
END $$;
