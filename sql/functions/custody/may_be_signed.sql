-- Whether a move may have been signed without this database knowing: the database was restored from a backup, and
-- signatures from before the restore have not expired by the chain's time. `p_since`: when a settlement began, because
-- one that began after the restore was not signed before it. NULL for a send, whose client may have repeated an earlier
-- key after the restore.
CREATE OR REPLACE FUNCTION may_be_signed(p_network smallint, p_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM restores r LEFT JOIN chain_cursors c ON c.network_id = p_network
     WHERE coalesce(r.noted_at > p_since, true)
       AND coalesce(c.block_seconds, 0) <= extract(epoch FROM r.noted_at) + signature_seconds())
$$;
