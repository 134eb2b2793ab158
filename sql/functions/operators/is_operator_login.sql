-- Whether this connection's login belongs to a person at a command line: a member of the operators' role and of no
-- process role. A superuser is a member of every role and does not count.
CREATE OR REPLACE FUNCTION is_operator_login() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT r.rolsuper AND pg_has_role(r.oid, n.prefix || '_operator', 'MEMBER')
         AND NOT pg_has_role(r.oid, n.prefix || '_server', 'MEMBER') AND NOT pg_has_role(r.oid, n.prefix || '_worker', 'MEMBER')
    FROM role_names n, pg_roles r WHERE r.rolname = session_user
$$;
