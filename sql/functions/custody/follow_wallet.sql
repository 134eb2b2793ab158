-- When a wallet is new or replaced, the debt to its owner counts for another wallet from now on. People without money,
-- as at registration, need no update.
CREATE OR REPLACE FUNCTION follow_wallet() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  assets_owed smallint[];
BEGIN
  IF NEW.user_id IS NULL THEN
    SELECT array_agg(DISTINCT asset_id) INTO assets_owed FROM accounts
     WHERE user_id IS NULL AND kind IN ('treasury', 'fees', 'loss') AND available + held <> 0;
  ELSE
    SELECT array_agg(asset_id) INTO assets_owed FROM accounts WHERE user_id = NEW.user_id AND available + held <> 0;
  END IF;
  PERFORM keep_positions(a.id, ARRAY[NEW.wallet_id]) FROM unnest(assets_owed) AS a(id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER wallets_followed AFTER INSERT OR UPDATE OF replaced_at ON wallets
  FOR EACH ROW EXECUTE FUNCTION follow_wallet();
