-- Whether the login of this connection belongs to nobody who is an operator of this service now. While no named admin has a
-- login, everyone with an operator's login may do everything: somebody has to name the first.
CREATE OR REPLACE FUNCTION is_unnamed_login() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM operators o JOIN pg_roles r ON r.rolname = o.name AND r.rolcanlogin WHERE o.role = 'admin')
     AND NOT EXISTS (SELECT FROM operators WHERE name = session_user)
$$;
