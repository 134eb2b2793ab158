-- Marks an open move as done because it turned out to be these coins (`claim_unexplained`). The coins were counted when
-- they were seen, so they do not move again. If an operator had imported them as a settlement, that settlement is
-- undone like one that a reorg removed.
CREATE OR REPLACE FUNCTION end_claimed(p_move uuid, u unexplained_moves) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM holdings WHERE asset_id = u.asset_id AND wallet_id IN (u.wallet_id, u.to_wallet)
    ORDER BY wallet_id FOR NO KEY UPDATE;
  UPDATE coin_moves SET state = 'open', tx_hash = NULL, block_number = NULL
   WHERE move_id = u.imported_as AND purpose = 'settlement' AND state = 'done';
  UPDATE coin_moves SET state = 'dead' WHERE move_id = u.imported_as AND purpose = 'settlement' AND state = 'open';
  UPDATE coin_moves SET state = 'done', reserved = 0, tx_hash = u.tx_hash, block_number = u.block_number
   WHERE move_id = p_move AND state = 'open';
END $$;
