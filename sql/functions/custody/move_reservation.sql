-- Maintains the totals of the wallets' moves in `holdings`: `reserved` in the wallet that a move leaves and, for open
-- settlements, `outgoing` there and `incoming` at the destination. A check on `holdings` then refuses to reserve coins
-- twice. Coins that become free may be what a send waits for.
CREATE OR REPLACE FUNCTION move_reservation() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  change   bigint := NEW.reserved;
  open_now bigint := CASE WHEN NEW.purpose = 'settlement' AND NEW.state = 'open' THEN NEW.amount ELSE 0 END;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    change := NEW.reserved - OLD.reserved;
    IF OLD.purpose = 'settlement' AND OLD.state = 'open' THEN open_now := open_now - OLD.amount; END IF;
  END IF;
  IF change <> 0 OR open_now <> 0 THEN
    UPDATE holdings SET reserved = reserved + change, outgoing = outgoing + open_now
     WHERE asset_id = NEW.asset_id AND wallet_id = NEW.wallet_id;
    IF NOT FOUND THEN RAISE EXCEPTION 'wallet % holds nothing', NEW.wallet_id USING ERRCODE = 'check_violation'; END IF;
  END IF;
  IF open_now <> 0 THEN
    INSERT INTO holdings AS h (asset_id, wallet_id, incoming) VALUES (NEW.asset_id, NEW.to_wallet, open_now)
    ON CONFLICT (asset_id, wallet_id) DO UPDATE SET incoming = h.incoming + excluded.incoming;
  END IF;
  IF change < 0 AND NEW.state <> 'done' THEN PERFORM wake_sends(NEW.asset_id, ARRAY[NEW.wallet_id]); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER coin_moves_reserve AFTER INSERT OR UPDATE OF reserved, state ON coin_moves
  FOR EACH ROW EXECUTE FUNCTION move_reservation();
