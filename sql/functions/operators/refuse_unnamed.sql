-- Refuses whoever is not a named operator with the right to approve.
CREATE OR REPLACE FUNCTION refuse_unnamed(p_operator text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM operators WHERE name = p_operator AND role IN ('admin', 'risk')) THEN
    RAISE EXCEPTION '% is not an operator who may approve', p_operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
END $$;
