-- A person ends all their sessions and account keys. They can log in again. Returns how many sessions were open.
CREATE OR REPLACE FUNCTION log_out_everywhere(p_user uuid) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended record;
BEGIN
  PERFORM require_arguments('log_out_everywhere', p_user IS NOT NULL);
  ended := end_credentials(p_user);
  PERFORM write_audit('user:' || p_user, 'sessions.ended', p_user,
    jsonb_build_object('sessions', ended.o_sessions, 'keys', ended.o_keys));
  RETURN ended.o_sessions;
END $$;
