-- Whether a state is final: it never changes again.
CREATE OR REPLACE FUNCTION payment_is_final(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state IN ('COMPLETE', 'FAILED', 'DENIED', 'CANCELLED')
$$;
