-- Whether every element is an amount of money that can be moved: positive, and at most `MAX_AMOUNT` of
-- server/src/core/money.ts. NULL if an element is NULL, so test it with IS TRUE.
CREATE OR REPLACE FUNCTION is_amount(VARIADIC p_amounts bigint[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 0 < ALL (p_amounts) AND 999999999999999 >= ALL (p_amounts)
$$;
