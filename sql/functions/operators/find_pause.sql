-- Why payments of these scopes are not accepted now; NULL when they are. The only check of pauses for a new payment.
-- PL/pgSQL rather than SQL: it keeps its plan, and this runs in every batch of payments.
CREATE OR REPLACE FUNCTION find_pause(VARIADIC p_scopes text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Every pause stops accepting, so `stops` does not matter.
  RETURN (SELECT reason FROM pauses WHERE scope = ANY (p_scopes) ORDER BY scope, paused_at LIMIT 1);
END $$;
