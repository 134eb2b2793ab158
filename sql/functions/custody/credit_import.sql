-- Credits the owner of our wallet that received an imported unexplained move, as for any other known transfer.
CREATE OR REPLACE FUNCTION credit_import(p_move unexplained_moves, p_chain bigint, p_receiver bigint) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  sender text := (SELECT address FROM wallets WHERE wallet_id = p_move.wallet_id);
BEGIN
  INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash,
    log_index, transfer_id)
  VALUES (p_move.asset_id, p_move.tx_hash, p_move.to_wallet, p_move.ordinal, sender, p_move.amount, p_move.block_number,
    coalesce(p_move.block_hash, ''), p_move.log_index, p_move.deposit_id);
  IF (SELECT outcome FROM ledger_apply(p_move.deposit_id, 'deposit', p_chain, p_receiver, p_move.amount, NULL, sender))
     IS DISTINCT FROM 'applied' THEN
    RAISE EXCEPTION 'the id of deposit % belongs to another movement', p_move.deposit_id USING ERRCODE = 'unique_violation';
  END IF;
END $$;
