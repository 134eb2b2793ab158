-- Whether the owner of the account that pays has agreed with a passkey to exactly this send: its id, where the coins go
-- (`p_party`, see `party_of_send`) and its amount. A row of a payout was agreed to with the payout (`confirm_payout`).
CREATE OR REPLACE FUNCTION is_proved_hold(p_payment uuid, p_debit bigint, p_party text, p_amount bigint) RETURNS boolean
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(is_proved(d.user_id, jsonb_build_object('do', 'send', 'payment', p_payment, 'to', p_party, 'amount', p_amount::text)),
                  false)
      OR EXISTS (SELECT FROM payouts p JOIN payout_items i USING (payout_id)
                  WHERE p.payer_id = d.user_id AND p.state IN ('running', 'waiting') AND i.payment_id = p_payment
                    AND i.amount = p_amount AND i.state = 'ready'
                    AND party_of_send(i.blockchain || ' ' || p.currency, i.destination) = p_party)
    FROM accounts d WHERE d.account_id = p_debit
$$;
