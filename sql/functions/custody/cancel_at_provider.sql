-- Cancels a payment if this database does not know whether the wallet's provider was asked for it
-- (`may_be_handed_over`). It creates the move and its row of `provider_transfers`, which are never sent from here. The
-- signer looks for the transfer at the provider. If the provider has it, it is cancelled there or turns out to be paid;
-- otherwise the payment ends. A payment that waits for approvals may have been approved before the restore. Returns
-- false if this does not apply, or an earlier wallet may have signed the payment. The caller has locked the payment.
CREATE OR REPLACE FUNCTION cancel_at_provider(p_payment uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('cancel_at_provider', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  IF NOT may_be_handed_over(p_payment) OR may_be_signed_elsewhere(p_payment)
    OR EXISTS (SELECT FROM provider_transfers WHERE move_id = p_payment) THEN
    RETURN false;
  END IF;
  INSERT INTO coin_moves AS m (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved,
    started_at, cancel_wanted_at)
  SELECT p_payment, t.asset_id, w.wallet_id, 'send', 'provider', w.address, p.destination, coalesce(p.amount, t.amount), 0,
         clock_timestamp(), date_trunc('milliseconds', clock_timestamp())
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
    JOIN wallets w ON w.wallet_id = p.wallet_id
   WHERE p.payment_id = p_payment
  ON CONFLICT (move_id) DO UPDATE SET started_at = coalesce(m.started_at, excluded.started_at),
    cancel_wanted_at = coalesce(m.cancel_wanted_at, excluded.cancel_wanted_at) WHERE m.state = 'open' AND m.rail = 'provider';
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO provider_transfers (move_id, provider, key)
  SELECT p_payment, w.provider, p_payment FROM payments p JOIN wallets w USING (wallet_id) WHERE p.payment_id = p_payment;
  RETURN true;
END $$;
