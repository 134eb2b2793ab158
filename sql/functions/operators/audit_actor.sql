-- The actor of an entry of the audit log that a login asks for, or a refusal. An operator is who has logged in, whatever the
-- caller says. Servers act for people, service keys and the provider of identity checks, as these ask; workers act for the
-- service. A login with several roles may do what each of them may.
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
