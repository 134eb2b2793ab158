-- Discards the known debts of all wallets of a network when other wallets hold its coins from now on. All are looked up
-- again.
CREATE OR REPLACE FUNCTION forget_positions() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM kept_positions;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER networks_positions AFTER UPDATE OF wallet_provider, family ON networks
  FOR EACH STATEMENT EXECUTE FUNCTION forget_positions();
