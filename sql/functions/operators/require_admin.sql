-- While there are operators, at least one of them must be an admin: without an admin, every operator login could do
-- everything (see `operator_objection`).
CREATE OR REPLACE FUNCTION require_admin() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM operators) AND NOT EXISTS (SELECT FROM operators WHERE role = 'admin') THEN
    RAISE EXCEPTION 'at least one admin must be left'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'operators_have_an_admin';
  END IF;
END $$;
