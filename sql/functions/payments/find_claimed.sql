-- The coins that moved without an explanation and match this open move of ours: the same wallet, destination, amount
-- and asset, and either the provider names this chain transaction, or it used the nonce of the move. Excludes coins
-- that another move accounts for. NULL if there are none.
CREATE OR REPLACE FUNCTION find_claimed(m coin_moves) RETURNS unexplained_moves LANGUAGE sql STABLE AS $$
  SELECT u FROM unexplained_moves u
   WHERE m.state = 'open' AND u.asset_id = m.asset_id AND u.wallet_id = m.wallet_id AND u.amount = m.amount
     AND address_key(u.to_address) = address_key(m.to_address) AND u.log_index >= 0
     AND CASE m.rail
           WHEN 'provider' THEN EXISTS (SELECT FROM provider_transfers p
                                         WHERE p.move_id = m.move_id AND p.provider_id IS NOT NULL AND p.tx_hash = u.tx_hash)
           WHEN 'eip3009' THEN EXISTS (SELECT FROM authorizations a JOIN forgotten_nonces f USING (nonce)
                                        WHERE a.move_id = m.move_id AND f.kind = 'used'
                                          AND (f.asset_id, f.tx_hash, f.log_index) = (u.asset_id, u.tx_hash, u.log_index))
           ELSE false END
     AND NOT EXISTS (SELECT FROM provider_transfers o WHERE o.move_id = u.imported_as)
     AND NOT EXISTS (SELECT FROM authorizations o WHERE o.move_id = u.imported_as)
   ORDER BY u.log_index LIMIT 1
$$;
