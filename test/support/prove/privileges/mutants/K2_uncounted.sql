-- K2: payments do not count against the limits of their key.
CREATE OR REPLACE FUNCTION charge_key_budgets(p_keys uuid[], p_pays text[], p_before bigint[], p_left bigint[]) RETURNS void
  LANGUAGE sql AS $$ SELECT $$;
