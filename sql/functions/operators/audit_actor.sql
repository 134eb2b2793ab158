-- The actor of an audit log entry that a login wants to write; refuses an actor that the login may not use. For
-- operators, the actor is always their login, whatever the caller passes. Servers act on behalf of people, service keys
-- and the identity check provider; workers act for the service. A login with several roles has the rights of each of
-- them.
CREATE OR REPLACE FUNCTION audit_actor(p_actor text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  role text := CASE WHEN p_actor ~ '^operator:.' THEN '_operator' WHEN p_actor ~ '^(user|key|provider):.' THEN '_server'
                    WHEN p_actor ~ '^service:.' THEN '_worker' END;
BEGIN
  IF (SELECT pg_has_role(session_user, n.prefix || role, 'MEMBER') FROM role_names n) IS NOT TRUE
    OR role = '_operator' AND is_operator_login() AND is_unnamed_login()
  THEN
    RAISE EXCEPTION '% may not act as %', session_user, p_actor
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_own_actors';
  END IF;
  RETURN CASE role WHEN '_operator' THEN 'operator:' || session_user ELSE p_actor END;
END $$;
