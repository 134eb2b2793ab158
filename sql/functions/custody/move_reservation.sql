-- Keeps `holdings.reserved` equal to what the wallet's moves reserve. A check on `holdings` then refuses coins that are
-- reserved twice.
CREATE OR REPLACE FUNCTION move_reservation() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  change bigint := NEW.reserved;
BEGIN
  IF TG_OP = 'UPDATE' THEN change := NEW.reserved - OLD.reserved; END IF;
  IF change = 0 THEN RETURN NULL; END IF;
  UPDATE holdings SET reserved = reserved + change WHERE asset_id = NEW.asset_id AND wallet_id = NEW.wallet_id;
  IF NOT FOUND THEN RAISE EXCEPTION 'wallet % holds nothing', NEW.wallet_id USING ERRCODE = 'check_violation'; END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER coin_moves_reserve AFTER INSERT OR UPDATE OF reserved ON coin_moves
  FOR EACH ROW EXECUTE FUNCTION move_reservation();
