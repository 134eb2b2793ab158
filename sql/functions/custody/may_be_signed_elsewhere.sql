-- Whether an earlier wallet of the payer may have made a payment before a restore, and the chain may still accept what was
-- signed (`may_be_signed`). Each wallet has nonces of its own, so what the payment's wallet does on the chain says nothing
-- about it. On a chain that nobody reads nothing is signed, and its time stands still.
CREATE OR REPLACE FUNCTION may_be_signed_elsewhere(p_payment uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id JOIN assets s USING (asset_id)
      JOIN chain_cursors c USING (network_id)
     WHERE p.payment_id = p_payment AND c.block_seconds > 0 AND may_be_signed(s.network_id, NULL)
       AND EXISTS (SELECT FROM list_earlier_wallets(p.wallet_id)))
$$;
