-- Whether the owner of the account that pays has agreed with a passkey to exactly this payment: its id (and so its
-- Idempotency-Key), receiver and amount.
CREATE OR REPLACE FUNCTION is_proved_payment(p_payment uuid, p_debit bigint, p_credit bigint, p_amount bigint) RETURNS boolean
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(is_proved(d.user_id, jsonb_build_object('do', 'pay', 'payment', p_payment, 'to', c.user_id,
                                                          'amount', p_amount::text)), false)
    FROM accounts d, accounts c WHERE d.account_id = p_debit AND c.account_id = p_credit
$$;
