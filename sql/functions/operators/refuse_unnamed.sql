-- Refuses everyone except named operators who have had the right to approve since the given time.
CREATE OR REPLACE FUNCTION refuse_unnamed(p_operator text, p_at timestamptz DEFAULT clock_timestamp()) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM operators WHERE name = p_operator AND role IN ('admin', 'risk') AND added_at <= p_at) THEN
    RAISE EXCEPTION '% is not an operator who may approve', p_operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
END $$;
