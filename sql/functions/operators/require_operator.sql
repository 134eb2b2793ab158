-- Refuses what the operator with this login may not do (see `operator_objection`).
CREATE OR REPLACE FUNCTION require_operator(p_deed text) RETURNS void LANGUAGE plpgsql STABLE AS $$
DECLARE
  objection text := operator_objection(p_deed);
BEGIN
  IF objection IS NOT NULL THEN
    RAISE EXCEPTION '%', objection USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'operators_allowed';
  END IF;
END $$;
