-- Within a preview, which is rolled back: lets a person pay without the passkey that the payment will need. Locks their accounts,
-- and the others of the payment, in the order of their ids, as the payment would.
CREATE OR REPLACE FUNCTION preview_unasked(p_user uuid, p_others bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM users WHERE user_id = p_user AND passkey_above IS NOT NULL) THEN RETURN; END IF;
  PERFORM FROM accounts WHERE user_id = p_user OR account_id = ANY (p_others) ORDER BY account_id FOR NO KEY UPDATE;
  PERFORM ledger_ask_above(p_user, NULL);
END $$;
