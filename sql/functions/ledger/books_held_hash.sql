-- Like `books_hash`, for the amount that an account holds. It takes no movement number, because most movements do not
-- change this amount.
CREATE OR REPLACE FUNCTION books_held_hash(p_seed bigint, p_account bigint, p_held bigint)
  RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_held = 0 THEN 0
    ELSE hashint8extended(p_held, hashint4extended((p_held >> 32)::integer, ~p_seed # (p_account << 28))) >> 3 END
$$;
