-- Links a payment to coins that moved without an explanation. If they moved under a nonce of ours, the payment's move
-- and authorization are restored, so that a reorg can undo and repeat it.
CREATE OR REPLACE FUNCTION explain_move(p_move unexplained_moves, p_payment uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  known forgotten_nonces;
BEGIN
  SELECT * INTO known FROM forgotten_nonces
   WHERE asset_id = p_move.asset_id AND tx_hash = p_move.tx_hash AND log_index = p_move.log_index;
  -- Another payment with the same Idempotency-Key may have the nonce. That payment is not this move and can never
  -- happen.
  IF FOUND AND NOT EXISTS (SELECT FROM authorizations WHERE nonce = known.nonce) THEN
    INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, state,
      started_at, tx_hash, block_number)
    SELECT p_payment, p_move.asset_id, p_move.wallet_id, 'send', 'eip3009', w.address, p_move.to_address, p_move.amount, 0,
           'done', clock_timestamp(), p_move.tx_hash, p_move.block_number
      FROM wallets w WHERE w.wallet_id = p_move.wallet_id;
    INSERT INTO authorizations (move_id, nonce, carried) VALUES (p_payment, known.nonce, true);
  END IF;
  PERFORM end_unexplained(p_move, p_payment);
END $$;
