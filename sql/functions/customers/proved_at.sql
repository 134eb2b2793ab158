-- When this session's owner last proved to be present: at the login. Refreshing the session is no proof. NULL if the session
-- is not open or belongs to someone else. What asks for a recent proof calls this function, so another proof, such as a
-- passkey, needs to be added only here. The session is locked: it does not end before the commit.
CREATE OR REPLACE FUNCTION proved_at(p_user uuid, p_session uuid) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT s.created_at FROM sessions s
           WHERE s.session_id = p_session AND s.user_id = p_user AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()
             AND s.created_at >= credentials_from('sessions') FOR SHARE);
END $$;
