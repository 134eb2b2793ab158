-- Copies a person's pause into their accounts, so that a payment does not read a second table. `pauses` holds the reason. It
-- locks the accounts in the order of their ids, as payments do; an UPDATE alone would lock them in any order.
CREATE OR REPLACE FUNCTION ledger_pause_user(p_user uuid, p_paused boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM accounts WHERE user_id = p_user ORDER BY account_id FOR NO KEY UPDATE;
  UPDATE accounts SET paused = p_paused WHERE user_id = p_user;
END $$;
