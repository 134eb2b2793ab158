-- When this session's owner last proved to be present: at the login, or later with a passkey, for an account key. Refreshing
-- the session is no proof. NULL if the session is not open or belongs to someone else. The session is locked: it does not end
-- before the commit.
CREATE OR REPLACE FUNCTION proved_at(p_user uuid, p_session uuid) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  login timestamptz;
BEGIN
  SELECT s.created_at INTO login FROM sessions s
   WHERE s.session_id = p_session AND s.user_id = p_user AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()
     AND s.created_at >= credentials_from('sessions') FOR SHARE;
  IF login IS NULL THEN RETURN NULL; END IF;
  RETURN greatest(login, (SELECT max(c.proved_at) FROM passkey_challenges c
    WHERE c.user_id = p_user AND c.session_id = p_session AND c.deed = '{"do": "key"}'
      AND c.created_at >= credentials_from('sessions')));
END $$;
