-- Whether this transfer was credited to the owner of the wallet as a deposit. A chain transaction may contain several
-- transfers to the same wallet. Deposits of releases before 0.3.0 have no `log_index`, so they are matched by amount.
CREATE OR REPLACE FUNCTION is_credited_transfer(
  p_asset smallint, p_tx_hash text, p_log_index integer, p_amount bigint, p_wallet uuid
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM deposits d WHERE d.asset_id = p_asset AND d.tx_hash = p_tx_hash AND d.wallet_id = p_wallet
    AND (d.log_index = p_log_index OR d.log_index IS NULL AND d.amount = p_amount))
$$;
