-- The number of the advisory lock on what a key may do: taken shared by the statement that accepts its payments, and alone
-- by whoever revokes or changes it. So a payment that a revoke has overtaken is refused, and after a revoke is answered no
-- payment of the key is committed. A lock on the row would be a write per batch, and a stream of payments could keep the
-- one who revokes waiting.
CREATE OR REPLACE FUNCTION key_lock(p_key uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT hashtextextended(p_key::text, 7310471)
$$;
