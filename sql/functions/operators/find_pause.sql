-- The reason why payments of these scopes are not accepted now, in words for customers; NULL if they are. This is the
-- only check of pauses for a new payment. It is written in PL/pgSQL, which caches the plan, because it runs in every
-- batch of payments.
CREATE OR REPLACE FUNCTION find_pause(VARIADIC p_scopes text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Every pause stops accepting payments, so `stops` does not matter.
  RETURN (SELECT pause_words(scope, cause) FROM pauses WHERE scope = ANY (p_scopes) ORDER BY scope, paused_at LIMIT 1);
END $$;
