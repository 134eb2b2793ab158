-- This operator can no longer log in to the console, and their open sessions there end with the next request. Returns
-- the number of identities that were removed.
CREATE OR REPLACE FUNCTION unlink_operator(p_name text) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer;
BEGIN
  PERFORM require_arguments('unlink_operator', p_name IS NOT NULL);
  PERFORM require_operator('operators');
  DELETE FROM operator_identities WHERE name = p_name;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN
    PERFORM write_audit('operator:' || session_user, 'operator.unlinked', NULL, jsonb_build_object('name', p_name));
  END IF;
  RETURN gone;
END $$;
