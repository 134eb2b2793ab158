-- Only for commands of release 0.2.0, which pass the user name of their machine; `give_approval` replaces it. Remove it
-- in the release after 0.3.0. It accepts only the caller's own database login as the name.
CREATE OR REPLACE FUNCTION approve_payment(p_id uuid, p_operator text) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('approve_payment', num_nulls(p_id, p_operator) = 0);
  IF p_operator <> session_user THEN
    RAISE EXCEPTION '% is not the login of this connection', p_operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
  RETURN give_approval(p_id);
END $$;
