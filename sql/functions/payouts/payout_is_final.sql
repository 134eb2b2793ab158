-- Whether a state of a payout is final: it never changes again.
CREATE OR REPLACE FUNCTION payout_is_final(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state IN ('complete', 'cancelled')
$$;
