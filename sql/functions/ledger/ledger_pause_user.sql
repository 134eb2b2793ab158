-- Copies a person's pause into their accounts, so that a payment does not read a second table. `pauses` holds the
-- reason.
CREATE OR REPLACE FUNCTION ledger_pause_user(p_user uuid, p_paused boolean) RETURNS void LANGUAGE sql AS $$
  UPDATE accounts SET paused = p_paused WHERE user_id = p_user
$$;
