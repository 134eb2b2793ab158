-- False when there is no such operator. What they approved no longer counts (`count_approvals`).
CREATE OR REPLACE FUNCTION remove_operator(p_name text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_operator('operators');
  DELETE FROM operators WHERE name = p_name;
  RETURN FOUND;
END $$;
