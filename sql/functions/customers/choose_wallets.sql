-- Binds the database to its seed, and people's wallets to who holds their keys. Says what does not fit: `seed`, `provider` or
-- `set`; NULL: it is done. Another provider or set is taken only while nobody has a wallet and no coin is anywhere: the
-- wallets that people have stay where they are.
CREATE OR REPLACE FUNCTION choose_wallets(p_fingerprint text, p_provider text, p_set text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  bound wallet_seeds;
BEGIN
  INSERT INTO wallet_seeds (fingerprint, wallet_provider, wallet_set) VALUES (p_fingerprint, p_provider, p_set)
  ON CONFLICT DO NOTHING;
  SELECT * INTO bound FROM wallet_seeds FOR UPDATE;
  IF bound.fingerprint <> p_fingerprint THEN RETURN 'seed'; END IF;
  IF bound.wallet_provider <> p_provider OR bound.wallet_set IS DISTINCT FROM p_set THEN
    -- The treasury's wallet at Circle stays in its set, and would be looked for in the new one.
    IF EXISTS (SELECT FROM wallets WHERE kind <> 'treasury') OR EXISTS (SELECT FROM holdings WHERE coins > 0)
       OR p_provider = 'circle' AND EXISTS (SELECT FROM wallets WHERE provider = 'circle') THEN
      RETURN CASE WHEN bound.wallet_provider <> p_provider THEN 'provider' ELSE 'set' END;
    END IF;
    UPDATE wallet_seeds SET wallet_provider = p_provider, wallet_set = p_set;
  END IF;
  PERFORM ledger_use_wallets(p_provider);
  RETURN NULL;
END $$;
