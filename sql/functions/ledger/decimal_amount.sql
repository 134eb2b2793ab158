-- An amount as callers read it, such as 12.5. Amounts are in millionths (server/src/core/money.ts); only this function
-- assumes that.
CREATE OR REPLACE FUNCTION decimal_amount(p_amount bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT trim_scale(p_amount::numeric / 1000000)::text
$$;
