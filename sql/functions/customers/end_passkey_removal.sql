-- The person, or an operator, stops the removal of passkeys that an operator has begun. Returns false if there is none.
CREATE OR REPLACE FUNCTION end_passkey_removal(p_user uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('end_passkey_removal', p_user IS NOT NULL);
  PERFORM refuse_other_operators('approve');
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM tell_of_passkey(CASE WHEN is_operator_login() THEN 'operator:' || session_user ELSE 'user:' || p_user END, p_user,
    'passkey.removal_ended', '{}');
  RETURN true;
END $$;
