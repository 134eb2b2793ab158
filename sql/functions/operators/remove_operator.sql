-- Returns false if the operator does not exist. The operator's approvals no longer count (`count_approvals`).
CREATE OR REPLACE FUNCTION remove_operator(p_name text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('remove_operator', p_name IS NOT NULL);
  LOCK TABLE operators IN SHARE ROW EXCLUSIVE MODE;
  PERFORM require_operator('operators');
  DELETE FROM operators WHERE name = p_name;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM require_admin();
  PERFORM write_audit('operator:' || session_user, 'operator.removed', NULL, jsonb_build_object('name', p_name));
  RETURN true;
END $$;
