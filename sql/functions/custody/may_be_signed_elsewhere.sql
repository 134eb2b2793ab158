-- Whether an earlier wallet of the payer may have signed a payment before a restore, and the chain may still accept that
-- (`may_be_signed`). Each wallet has nonces of its own, so what the payment's wallet does on the chain says nothing about
-- it.
CREATE OR REPLACE FUNCTION may_be_signed_elsewhere(p_payment uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id JOIN assets s USING (asset_id)
     WHERE p.payment_id = p_payment AND may_be_signed(s.network_id, NULL)
       AND EXISTS (SELECT FROM list_earlier_wallets(p.wallet_id)))
$$;
