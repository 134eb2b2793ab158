-- The watcher reads the past of a new wallet once, and of every wallet when a token is new (see `wallet_rescans`). This
-- applies only to chains with a watcher; on other chains, a provider reports arrivals.
CREATE OR REPLACE FUNCTION note_new_wallets() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'wallets' THEN
    INSERT INTO wallet_rescans (asset_id, wallet_id)
    SELECT s.asset_id, NEW.wallet_id FROM assets s JOIN networks n USING (network_id) WHERE n.family = NEW.family AND n.family = 'evm'
    ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO wallet_rescans (asset_id, wallet_id)
    SELECT NEW.asset_id, w.wallet_id FROM networks n JOIN wallets w USING (family) WHERE n.network_id = NEW.network_id
       AND n.family = 'evm'
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER wallets_are_new AFTER INSERT ON wallets FOR EACH ROW EXECUTE FUNCTION note_new_wallets();
CREATE OR REPLACE TRIGGER assets_are_new AFTER INSERT ON assets FOR EACH ROW EXECUTE FUNCTION note_new_wallets();
