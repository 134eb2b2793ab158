-- Whether a move that began before `p_since` may have been signed without this database knowing: the database was
-- restored from a backup later, and signatures from before the restore have not expired by the chain's time.
CREATE OR REPLACE FUNCTION may_be_signed(p_network smallint, p_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM restores r LEFT JOIN chain_cursors c ON c.network_id = p_network
     WHERE r.noted_at > p_since AND coalesce(c.block_seconds, 0) <= extract(epoch FROM r.noted_at) + signature_seconds())
$$;
