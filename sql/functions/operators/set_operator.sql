-- Names an operator, or gives one another role.
CREATE OR REPLACE FUNCTION set_operator(p_name text, p_role text) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO operators (name, role) VALUES (p_name, p_role) ON CONFLICT (name) DO UPDATE SET role = excluded.role;
$$;
