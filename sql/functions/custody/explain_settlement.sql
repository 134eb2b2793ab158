-- Records that an unexplained move between two wallets of ours was a settlement: coins moved, but no one paid. The
-- nonce shows this. Providers write nothing to the chain that would show it, so for their transfers an operator says
-- so. Returns false if there is no such move, it already has an explanation, or it did not go to a wallet of ours.
CREATE OR REPLACE FUNCTION explain_settlement(p_asset smallint, p_tx_hash text, p_log_index integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  m          unexplained_moves;
  known      forgotten_nonces;
  settlement uuid := gen_random_uuid();
  move       uuid := gen_random_uuid();
BEGIN
  PERFORM require_arguments('explain_settlement', num_nulls(p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  SELECT * INTO m FROM unexplained_moves WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index
     AND imported_as IS NULL AND to_wallet IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT * INTO known FROM forgotten_nonces
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index;
  -- The nonce of a settlement ends with the settlement's id.
  IF is_settlement_nonce(known.nonce) THEN move := encode(substring(known.nonce FROM 17), 'hex')::uuid; END IF;
  INSERT INTO settlements (settlement_id, asset_id, completed_at)
  VALUES (settlement, p_asset, date_trunc('milliseconds', clock_timestamp()));
  INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, rail, from_address, to_address,
    amount, reserved, state, started_at, tx_hash, block_number)
  SELECT move, p_asset, m.wallet_id, 'settlement', settlement, m.to_wallet,
         CASE WHEN known.nonce IS NULL THEN 'provider' ELSE 'eip3009' END, w.address, m.to_address, m.amount, 0, 'done',
         clock_timestamp(), m.tx_hash, m.block_number
    FROM wallets w WHERE w.wallet_id = m.wallet_id;
  IF known.nonce IS NOT NULL THEN
    INSERT INTO authorizations (move_id, nonce, carried) VALUES (move, known.nonce, true);
  END IF;
  PERFORM end_unexplained(m, move);
  RETURN true;
END $$;
