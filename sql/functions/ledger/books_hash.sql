-- A number for "this account had this balance after its movement with this number". A movement takes the number of the
-- balance before it away and adds that of the balance after it, so the numbers of all movements of an account add up to that
-- of its balance, in whatever order they are added (docs/decisions/0046-a-continuous-audit.md). Nobody can aim at such a sum
-- without the seed.
--
-- The balance is hashed as float8, exact up to 9 billion USDC: PostgreSQL hashes bigint by its two halves XORed, and 5 and
-- 4294967300 would be the same. One hash instead of one per argument: it is computed four times per payment. `>> 3`: six of
-- them fit into a bigint.
CREATE OR REPLACE FUNCTION books_hash(p_seed bigint, p_account bigint, p_entry bigint, p_available double precision)
  RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_entry = 0 AND p_available = 0 THEN 0
    ELSE hashfloat8extended(p_available, p_seed # ((p_account << 28) + p_entry)) >> 3 END
$$;
