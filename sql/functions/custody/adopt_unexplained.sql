-- An unexplained move went to an address that has since become a wallet of ours, because someone registered again. Its
-- coins are already counted there (`wallet_rescans`). If the move was a settlement, this explains it; otherwise it is
-- imported for both owners.
CREATE OR REPLACE FUNCTION adopt_unexplained(
  p_asset smallint, p_tx_hash text, p_log_index integer, p_wallet uuid, p_ordinal integer, p_deposit uuid
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('adopt_unexplained', num_nulls(p_asset, p_tx_hash, p_log_index, p_wallet, p_ordinal, p_deposit) = 0);
  UPDATE unexplained_moves SET to_wallet = p_wallet, ordinal = p_ordinal, deposit_id = p_deposit
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index AND to_wallet IS NULL
     AND imported_as IS NULL AND lower(to_address) = (SELECT lower(address) FROM wallets WHERE wallet_id = p_wallet);
  IF FOUND AND EXISTS (SELECT FROM forgotten_nonces WHERE asset_id = p_asset AND tx_hash = p_tx_hash
                          AND log_index = p_log_index AND is_settlement_nonce(nonce)) THEN
    PERFORM explain_settlement(p_asset, p_tx_hash, p_log_index);
  END IF;
END $$;
