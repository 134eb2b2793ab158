-- Like `end_unexplained`, for a worker that has found on the chain that the move was this settlement.
CREATE OR REPLACE FUNCTION end_unexplained_at(p_asset smallint, p_tx_hash text, p_log_index integer, p_settlement uuid)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('end_unexplained_at', num_nulls(p_asset, p_tx_hash, p_log_index, p_settlement) = 0);
  PERFORM end_unexplained(u, p_settlement) FROM unexplained_moves u JOIN coin_moves m ON m.move_id = p_settlement
    WHERE u.asset_id = p_asset AND u.tx_hash = p_tx_hash AND u.log_index = p_log_index AND u.imported_as IS NULL
      AND m.purpose = 'settlement' AND m.amount = u.amount AND m.wallet_id = u.wallet_id;
END $$;
