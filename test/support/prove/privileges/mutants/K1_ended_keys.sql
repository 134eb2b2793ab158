-- K1: a payment with a key that was revoked or has expired is accepted.
CREATE OR REPLACE FUNCTION find_key_refusals(p_keys uuid[], p_certificates bytea[], p_clients inet[]) RETURNS jsonb
  LANGUAGE sql AS $$ SELECT NULL::jsonb $$;
