-- False when there is no such operator.
CREATE OR REPLACE FUNCTION remove_operator(p_name text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM operators WHERE name = p_name;
  RETURN FOUND;
END $$;
