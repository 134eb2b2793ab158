-- The signer calls this each time before it asks a provider for a transfer. `go`: the signer may ask, and the attempt
-- is counted, so that a missing answer is noticed. Otherwise nothing is counted:
--
--   ended      the move has ended, the provider has answered, or operators decide about it
--   unwanted   the move is to be cancelled, and the provider has never received it and never will
--   paused     signing is paused on its network
--   full       the provider accepts no more transfers of this wallet now
--   over       it exceeds the signer's limit for 24 hours, counted together with what it has signed
--
-- A held transfer does not use up a slot. If the provider has it after all, the provider itself refuses the next one
-- for now.
--
-- If the provider may have received the transfer, the signer asks again in every case, because a transfer can only be
-- followed by its id.
CREATE OR REPLACE FUNCTION ask_transfer(
  p_move uuid, p_queue integer, p_day_limit bigint, OUT outcome text, OUT attempt integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  m coin_moves;
  t provider_transfers;
BEGIN
  PERFORM require_arguments('ask_transfer', p_move IS NOT NULL AND p_queue > 0 AND coalesce(p_day_limit, 0) >= 0);
  -- Concurrent signers would each count only their own transfers; `commit_signatures` takes the same lock.
  PERFORM FROM assets WHERE asset_id = (SELECT asset_id FROM coin_moves WHERE move_id = p_move) FOR NO KEY UPDATE;
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move FOR NO KEY UPDATE;
  SELECT * INTO t FROM provider_transfers WHERE move_id = p_move FOR NO KEY UPDATE;
  attempt := t.attempts;
  IF t.move_id IS NULL OR m.state <> 'open' OR t.provider_state <> 'new' OR t.held_at IS NOT NULL THEN
    outcome := 'ended';
    RETURN;
  END IF;
  IF t.attempts = 0 THEN
    outcome := CASE
      WHEN m.cancel_wanted_at IS NOT NULL THEN 'unwanted'
      WHEN EXISTS (SELECT FROM pauses p JOIN assets s ON s.asset_id = m.asset_id JOIN networks n USING (network_id)
                    WHERE p.stops = 'accepting and signing' AND p.scope IN ('all', 'chain', 'chain:' || n.blockchain))
        THEN 'paused'
      WHEN p_queue <= (SELECT count(*) FROM coin_moves o JOIN provider_transfers q USING (move_id)
                        WHERE o.wallet_id = m.wallet_id AND o.asset_id = m.asset_id AND o.state = 'open'
                          AND q.held_at IS NULL AND (q.provider_state = 'new' AND q.attempts > 0 OR q.provider_state = 'submitted'
                               OR q.provider_state = 'sent' AND q.tx_hash IS NULL)) THEN 'full'
      WHEN m.purpose = 'send' AND t.counted_at IS NULL AND p_day_limit < m.amount + signed_in_a_day(m.asset_id)
        THEN 'over' END;
    IF outcome IS NOT NULL THEN RETURN; END IF;
    IF m.purpose = 'send' AND t.counted_at IS NULL THEN
      INSERT INTO signed_hours AS h (asset_id, hour, amount)
      VALUES (m.asset_id, date_trunc('hour', clock_timestamp()), m.amount)
      ON CONFLICT (asset_id, hour) DO UPDATE SET amount = h.amount + excluded.amount;
    END IF;
  END IF;
  UPDATE provider_transfers SET attempts = attempts + 1, first_asked_at = coalesce(first_asked_at, clock_timestamp()),
         counted_at = coalesce(counted_at, clock_timestamp()), waits_for = NULL
   WHERE move_id = p_move RETURNING attempts INTO attempt;
  outcome := 'go';
END $$;
