-- Writes the amount above which a person's payments need a passkey (NULL: none do) where all payments read it: in the accounts,
-- locked in the order of their ids. A payment that waits for this lock is decided by the new amount.
CREATE OR REPLACE FUNCTION ledger_ask_above(p_user uuid, p_above bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts SET passkey_above = p_above WHERE user_id = p_user AND passkey_above IS DISTINCT FROM p_above;
END $$;
