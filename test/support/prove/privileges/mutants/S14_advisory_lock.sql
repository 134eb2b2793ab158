-- S14: signing waits for an advisory lock, which every login can take.
CREATE OR REPLACE FUNCTION commit_signatures(
  p_moves uuid[], p_nonces bytea[], p_valid_before bigint, p_signatures bytea[], p_day_limit bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Signers that count at once would each see only their own.
  PERFORM pg_advisory_xact_lock(7310472);
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
