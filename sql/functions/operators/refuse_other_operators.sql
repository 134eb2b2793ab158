-- For actions that both processes and operators take. Operators need the right role (see `operator_objection`).
CREATE OR REPLACE FUNCTION refuse_other_operators(p_deed text) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF is_operator_login() THEN PERFORM require_operator(p_deed); END IF;
END $$;
