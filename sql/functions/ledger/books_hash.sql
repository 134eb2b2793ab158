-- A number for "this account had this balance after its movement with this number". A movement takes the number of the
-- balance before it away and adds that of the balance after it, so the numbers of all movements of an account add up to that
-- of its balance, in whatever order they are added (docs/decisions/0046-a-continuous-audit.md). Nobody can aim at such a sum
-- without the seed.
--
-- PostgreSQL hashes a bigint by its two halves XORed, so 5 and 4294967300 would be the same: the upper half is hashed into the
-- seed. `>> 3`: six of them fit into a bigint.
CREATE OR REPLACE FUNCTION books_hash(p_seed bigint, p_account bigint, p_entry bigint, p_available bigint)
  RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_entry = 0 AND p_available = 0 THEN 0
    ELSE hashint8extended(p_available,
      hashint4extended((p_available >> 32)::integer, p_seed # ((p_account << 28) + p_entry))) >> 3 END
$$;
