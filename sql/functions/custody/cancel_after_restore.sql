-- Cancels a payment after a restore if this database does not know whether it was signed before (`may_be_signed`). It
-- creates the move, which is never signed here, and the token is asked to invalidate its nonce (`signCancellations`).
-- The chain then shows which of the two happened. A payment that waits for approvals may have been approved before the
-- restore. Returns false if this does not apply, the wallet's provider does not sign authorizations, or an earlier wallet
-- may have signed the payment. The caller has locked the payment.
CREATE OR REPLACE FUNCTION cancel_after_restore(p_payment uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('cancel_after_restore', p_payment IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  -- An authorization of a move that was not started was never signed here: a signer did not answer, or refused.
  IF may_be_signed_elsewhere(p_payment)
    OR EXISTS (SELECT FROM authorizations JOIN coin_moves USING (move_id) WHERE move_id = p_payment AND started_at IS NOT NULL)
  THEN
    RETURN false;
  END IF;
  INSERT INTO coin_moves AS m (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved,
    started_at, cancel_wanted_at)
  SELECT p_payment, t.asset_id, w.wallet_id, 'send', 'eip3009', w.address, p.destination, coalesce(p.amount, t.amount), 0,
         clock_timestamp(), date_trunc('milliseconds', clock_timestamp())
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
    JOIN wallets w ON w.wallet_id = p.wallet_id
    JOIN assets s ON s.asset_id = t.asset_id
   WHERE p.payment_id = p_payment
     AND w.provider IN (SELECT r.provider FROM wallet_providers r WHERE r.rail = 'eip3009')
     AND may_be_signed(s.network_id, NULL)
  ON CONFLICT (move_id) DO UPDATE SET started_at = coalesce(m.started_at, excluded.started_at),
    cancel_wanted_at = excluded.cancel_wanted_at WHERE m.state = 'open' AND m.cancel_wanted_at IS NULL;
  RETURN FOUND;
END $$;
