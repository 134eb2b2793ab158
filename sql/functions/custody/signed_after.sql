-- What the token took in this block was signed after this time. Reckoned from the newest block before it whose time is
-- known. Only the newest blocks are kept; what stands before them may be of any time.
CREATE OR REPLACE FUNCTION signed_after(p_asset smallint, p_block bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_timestamp(max(b.block_seconds) - signature_seconds()), '-infinity')
    FROM assets s JOIN chain_blocks b USING (network_id)
   WHERE s.asset_id = p_asset AND b.block_number <= p_block AND b.block_seconds IS NOT NULL
$$;
