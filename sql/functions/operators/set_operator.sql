-- Adds an operator, or changes an operator's role. Operators are identified by their database logins. If an operator
-- regains the right to approve, earlier approvals do not count (`count_approvals`).
CREATE OR REPLACE FUNCTION set_operator(p_name text, p_role text) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('set_operator', num_nulls(p_name, p_role) = 0);
  -- If two admins remove each other at the same time, the second sees what the first has done.
  LOCK TABLE operators IN SHARE ROW EXCLUSIVE MODE;
  PERFORM require_operator('operators');
  INSERT INTO operators AS known (name, role, added_at) VALUES (p_name, p_role, date_trunc('milliseconds', clock_timestamp()))
  ON CONFLICT (name) DO UPDATE
    SET role = excluded.role, added_at = CASE WHEN known.role = 'support' THEN excluded.added_at ELSE known.added_at END
  WHERE known.role <> excluded.role;
  PERFORM require_admin();
  PERFORM write_audit('operator:' || session_user, 'operator.set', NULL,
    jsonb_build_object('name', p_name, 'role', p_role));
END $$;
