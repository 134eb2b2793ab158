-- Deletes everything about a person's passkeys, and the amount above which payments need one.
CREATE OR REPLACE FUNCTION forget_passkeys(p_user uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passkeys WHERE user_id = p_user;
  DELETE FROM passkey_challenges WHERE user_id = p_user;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  PERFORM write_passkey_rule(p_user, NULL);
END $$;
