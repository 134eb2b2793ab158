-- An operator ends all sessions and account keys of a person (`end_credentials`). Returns how many sessions were open. The
-- person can log in again; to stop payments, pause the person.
CREATE OR REPLACE FUNCTION end_sessions(p_user uuid, p_reason text) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended record;
BEGIN
  PERFORM require_arguments('end_sessions', num_nulls(p_user, p_reason) = 0);
  PERFORM require_operator('sessions');
  ended := end_credentials(p_user);
  PERFORM write_audit('operator:' || session_user, 'sessions.ended', p_user,
    jsonb_build_object('sessions', ended.o_sessions, 'keys', ended.o_keys, 'reason', p_reason));
  RETURN ended.o_sessions;
END $$;
