-- A person removes one of their passkeys, with a proof by any of them. With the last one, the amount above which payments need a
-- passkey goes too. Returns NULL, or the code of the refusal.
CREATE OR REPLACE FUNCTION remove_passkey(p_user uuid, p_session uuid, p_passkey uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM require_arguments('remove_passkey', num_nulls(p_user, p_session, p_passkey) = 0);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  -- Accounts come before sessions, as when sessions end.
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  IF proved_at(p_user, p_session) IS NULL THEN RETURN 'auth.required'; END IF;
  IF NOT EXISTS (SELECT FROM passkeys WHERE passkey_id = p_passkey AND user_id = p_user) THEN RETURN 'passkey.unknown'; END IF;
  IF NOT use_proof(p_user, jsonb_build_object('do', 'remove', 'passkey', p_passkey)) THEN RETURN 'passkey.required'; END IF;
  DELETE FROM passkeys WHERE passkey_id = p_passkey;
  PERFORM tell_of_passkey('user:' || p_user, p_user, 'passkey.removed', jsonb_build_object('passkey_id', p_passkey));
  IF NOT EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN PERFORM write_passkey_rule(p_user, NULL); END IF;
  RETURN NULL;
END $$;
