-- An operator has checked the restored database: credentials of this kind (`keys`, `sessions`) from before the restores
-- are usable again. Returns the number of restores that were confirmed.
CREATE OR REPLACE FUNCTION confirm_restore(p_kind text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  confirmed integer;
BEGIN
  PERFORM require_arguments('confirm_restore', p_kind IN ('keys', 'sessions'));
  PERFORM require_operator('keys');
  IF p_kind = 'keys' THEN
    UPDATE restores SET keys_confirmed_at = clock_timestamp(), keys_confirmed_by = session_user
     WHERE keys_confirmed_at IS NULL;
  ELSIF p_kind = 'sessions' THEN
    UPDATE restores SET sessions_confirmed_at = clock_timestamp(), sessions_confirmed_by = session_user
     WHERE sessions_confirmed_at IS NULL;
  ELSE
    RAISE EXCEPTION 'the kind must be keys or sessions, not %', p_kind USING ERRCODE = 'invalid_parameter_value';
  END IF;
  GET DIAGNOSTICS confirmed = ROW_COUNT;
  RETURN confirmed;
END $$;
