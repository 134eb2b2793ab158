-- Whether the nonce of an unexplained move shows that it was a settlement, by which no one paid. If it was credited as
-- a deposit while the wallet that it came from was not registered (again), it was a payment.
CREATE OR REPLACE FUNCTION is_forgotten_settlement(p_move unexplained_moves) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM forgotten_nonces f WHERE f.asset_id = p_move.asset_id AND f.tx_hash = p_move.tx_hash
                    AND f.log_index = p_move.log_index AND is_settlement_nonce(f.nonce))
    AND NOT EXISTS (SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(p_move.to_address)
                       AND is_credited_transfer(p_move.asset_id, p_move.tx_hash, p_move.log_index, p_move.amount, w.wallet_id))
$$;
