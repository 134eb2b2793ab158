-- Why payments of these scopes are not accepted now; NULL when they are. The only place that asks this for a payment.
-- PL/pgSQL and not SQL: its plan is kept, and this runs in every batch of payments.
CREATE OR REPLACE FUNCTION find_pause(VARIADIC p_scopes text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Whatever is paused stops accepting.
  RETURN (SELECT reason FROM pauses WHERE scope = ANY (p_scopes) ORDER BY scope, paused_at LIMIT 1);
END $$;
