-- Repeats in a person's accounts whether they are paused, so that a payment asks no second table. Why is in `pauses`.
CREATE OR REPLACE FUNCTION ledger_pause_user(p_user uuid, p_paused boolean) RETURNS void LANGUAGE sql AS $$
  UPDATE accounts SET paused = p_paused WHERE user_id = p_user
$$;
