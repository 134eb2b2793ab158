-- Stores signatures that the signer has made, and counts sends that were never signed before against the signer's own
-- 24-hour limit, if it has one. An hour counts as long as any minute of it is within the 24 hours. If the limit would
-- be exceeded, or signing was paused meanwhile, the whole batch is refused, and the caller tries its moves one by one.
CREATE OR REPLACE FUNCTION commit_signatures(
  p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[], p_day_limit bigint
) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM require_arguments('commit_signatures',
    p_valid_before > 0 AND coalesce(p_day_limit, 0) >= 0 AND is_list(p_moves, cardinality(p_moves))
    AND array_position(p_moves, NULL) IS NULL AND is_list(p_nonces, cardinality(p_moves))
    AND is_list(p_signatures, cardinality(p_moves)));
  -- Concurrent signers would each count only their own signatures; `ask_transfer` takes the same locks.
  PERFORM FROM assets WHERE asset_id IN (SELECT asset_id FROM coin_moves WHERE move_id = ANY (p_moves))
    ORDER BY asset_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM pauses p WHERE p.stops = 'accepting and signing' AND p.scope = ANY (
       SELECT unnest(ARRAY['all', 'chain', 'chain:' || n.blockchain])
         FROM coin_moves m JOIN assets USING (asset_id) JOIN networks n USING (network_id) WHERE m.move_id = ANY (p_moves)))
  THEN
    RAISE EXCEPTION 'signing is paused'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_while_not_paused';
  END IF;
  INSERT INTO signed_hours AS h (asset_id, hour, amount)
  SELECT m.asset_id, date_trunc('hour', clock_timestamp()), sum(m.amount)
    FROM coin_moves m
   WHERE m.move_id = ANY (p_moves) AND m.purpose = 'send'
     AND NOT EXISTS (SELECT FROM signatures s WHERE s.move_id = m.move_id)
   GROUP BY m.asset_id ORDER BY m.asset_id
  ON CONFLICT (asset_id, hour) DO UPDATE SET amount = h.amount + excluded.amount;
  IF EXISTS (SELECT FROM coin_moves m
              WHERE m.move_id = ANY (p_moves) AND m.purpose = 'send'
                AND NOT EXISTS (SELECT FROM signatures s WHERE s.move_id = m.move_id)
                AND p_day_limit < signed_in_a_day(m.asset_id))
  THEN
    RAISE EXCEPTION 'more than the signer may sign in 24 hours'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'signatures_within_day_limit';
  END IF;
  PERFORM record_signatures(p_moves, p_nonces, p_valid_before, p_signatures);
END $$;
