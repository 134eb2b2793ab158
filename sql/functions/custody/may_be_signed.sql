-- Whether a move may have been signed without this database knowing: the database was restored from a backup, and
-- signatures from before the restore have not expired by the chain's time. `p_since`: a settlement that began after the
-- restore was not signed before. NULL for a send: after the restore, its client may have repeated an earlier key. But while
-- a new send waits for approvals or its delay, it counts as new: its payer must be able to cancel it.
CREATE OR REPLACE FUNCTION may_be_signed(p_network smallint, p_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM restores r LEFT JOIN chain_cursors c ON c.network_id = p_network
     WHERE coalesce(r.noted_at > p_since, true)
       AND coalesce(c.block_seconds, 0) <= extract(epoch FROM r.noted_at) + signature_seconds())
$$;
