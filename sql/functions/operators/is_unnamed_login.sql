-- Whether this connection's login belongs to no current operator of this service. While no named admin has a login,
-- every operator login may do everything, because someone has to name the first admin.
CREATE OR REPLACE FUNCTION is_unnamed_login() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM operators o JOIN pg_roles r ON r.rolname = o.name AND r.rolcanlogin WHERE o.role = 'admin')
     AND NOT EXISTS (SELECT FROM operators WHERE name = session_user)
$$;
