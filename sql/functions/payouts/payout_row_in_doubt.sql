-- Whether the chain may have paid a row that this database has not begun: coins left for its address, in its amount,
-- under a nonce that a restore has lost. Only the trace of its payment shows whether they are this row
-- (`recover_payout_rows`); until then it does not end unpaid.
CREATE OR REPLACE FUNCTION payout_row_in_doubt(i payout_items) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT i.destination IS NOT NULL AND EXISTS (
    SELECT FROM unexplained_moves u JOIN forgotten_nonces USING (asset_id, tx_hash, log_index)
      JOIN assets USING (asset_id) JOIN networks n USING (network_id)
     WHERE n.blockchain = i.blockchain AND u.amount = i.amount AND address_key(u.to_address) = address_key(i.destination))
$$;
