-- Whether a person may add a passkey now: with a proof by one that they have, or, for the first one, after a login that is
-- younger than five minutes. Returns the code of the refusal; NULL if they may.
CREATE OR REPLACE FUNCTION may_add_passkey(p_user uuid, p_session uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM passkeys WHERE user_id = p_user) THEN
    RETURN CASE WHEN NOT is_proved(p_user, '{"do": "add"}') THEN 'passkey.required'
                WHEN (SELECT count(*) FROM passkeys WHERE user_id = p_user) >= 10 THEN 'passkey.too_many' END;
  END IF;
  RETURN CASE WHEN (SELECT s.created_at FROM sessions s WHERE s.session_id = p_session AND s.user_id = p_user)
                     > clock_timestamp() - interval '5 minutes' THEN NULL ELSE 'auth.old_login' END;
END $$;
