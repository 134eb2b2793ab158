-- Wants a signed authorization cancelled on chain: it is not signed or carried again, its cancellation is. The coins stay
-- reserved until the token has said which of the two happened. False when that was wanted before, or it has ended.
CREATE OR REPLACE FUNCTION ask_cancellation(p_authorization uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  UPDATE authorizations
     SET cancel_wanted_at = date_trunc('milliseconds', clock_timestamp()), failures = 0, carry_after = clock_timestamp()
   WHERE authorization_id = p_authorization AND state = 'open' AND cancel_wanted_at IS NULL;
  RETURN FOUND;
END $$;
