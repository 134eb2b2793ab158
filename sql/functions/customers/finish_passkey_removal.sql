-- The second of two operators removes all passkeys of a person, and the amount above which payments need one. Sessions and
-- account keys end too: whoever has one could otherwise pay at once. Returns `removed`, `unknown` (no removal was begun) or
-- `waits` (the person can still object).
CREATE OR REPLACE FUNCTION finish_passkey_removal(p_user uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  begun passkey_removals;
BEGIN
  PERFORM require_arguments('finish_passkey_removal', p_user IS NOT NULL);
  PERFORM refuse_unnamed(session_user);
  PERFORM FROM users WHERE user_id = p_user FOR NO KEY UPDATE;
  SELECT * INTO begun FROM passkey_removals WHERE user_id = p_user FOR UPDATE;
  IF begun.user_id IS NULL THEN RETURN 'unknown'; END IF;
  PERFORM refuse_unnamed(begun.begun_by, begun.begun_at);
  IF begun.begun_by = session_user THEN
    RAISE EXCEPTION 'the operator who began this removal cannot finish it'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'passkey_removals_two_people';
  END IF;
  IF begun.due_at > clock_timestamp() THEN RETURN 'waits'; END IF;
  DELETE FROM passkey_removals WHERE user_id = p_user;
  PERFORM end_credentials(p_user);
  PERFORM forget_passkeys(p_user);
  PERFORM tell_of_passkey('operator:' || session_user, p_user, 'passkey.removed',
    jsonb_build_object('reason', begun.reason, 'begun_by', begun.begun_by));
  RETURN 'removed';
END $$;
