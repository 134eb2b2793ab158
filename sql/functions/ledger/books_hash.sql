-- Hashes "this account had this balance after its movement with this number". A movement subtracts the hash of the
-- balance before it and adds the hash of the balance after it. So the hashes of all movements of an account add up to
-- the hash of its balance, in any order (docs/decisions/0046-a-continuous-audit.md). Without the seed, an attacker
-- cannot construct movements that lead to a chosen sum.
--
-- PostgreSQL hashes a bigint by its two halves XORed, so 5 and 4294967300 would have the same hash; the upper half is
-- therefore hashed into the seed. `>> 3` leaves room for adding six hashes in a bigint.
CREATE OR REPLACE FUNCTION books_hash(p_seed bigint, p_account bigint, p_entry bigint, p_available bigint)
  RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_entry = 0 AND p_available = 0 THEN 0
    ELSE hashint8extended(p_available,
      hashint4extended((p_available >> 32)::integer, p_seed # ((p_account << 28) + p_entry))) >> 3 END
$$;
