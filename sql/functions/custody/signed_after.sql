-- The earliest time at which an authorization used in this block can have been signed, computed from the newest block
-- up to it whose time is known. Only the newest blocks are kept; for older ones there is no lower bound.
CREATE OR REPLACE FUNCTION signed_after(p_asset smallint, p_block bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_timestamp(max(b.block_seconds) - signature_seconds()), '-infinity')
    FROM assets s JOIN chain_blocks b USING (network_id)
   WHERE s.asset_id = p_asset AND b.block_number <= p_block AND b.block_seconds IS NOT NULL
$$;
