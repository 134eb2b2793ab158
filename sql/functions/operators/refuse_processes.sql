-- Refuses process logins, for actions that only people may take.
CREATE OR REPLACE FUNCTION refuse_processes() RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT pg_has_role(session_user, (SELECT prefix || '_operator' FROM role_names), 'MEMBER') THEN
    RAISE EXCEPTION '% is not the login of an operator', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
