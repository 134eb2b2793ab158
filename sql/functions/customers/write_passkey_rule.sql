-- Writes the amount above which a person's payments need a passkey; NULL: none do.
CREATE OR REPLACE FUNCTION write_passkey_rule(p_user uuid, p_above bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET passkey_above = p_above WHERE user_id = p_user AND passkey_above IS DISTINCT FROM p_above;
  PERFORM ledger_ask_above(p_user, p_above);
END $$;
