-- A credited deposit keeps its id, whatever formula a release uses for new ids: under another id, the ledger would
-- credit it again when its block is read again. If another movement has taken the id, the deposit gets a new one before
-- it is credited (`credit_deposits`).
CREATE OR REPLACE FUNCTION guard_deposit() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deposits d WHERE d.asset_id = NEW.asset_id AND d.tx_hash = NEW.tx_hash
      AND d.wallet_id = NEW.wallet_id AND d.ordinal = NEW.ordinal AND d.transfer_id <> NEW.transfer_id
      AND (TG_OP = 'INSERT' OR EXISTS (SELECT FROM transfers_by_id(ARRAY[d.transfer_id]) t WHERE t.kind = 'deposit'))) THEN
    RAISE EXCEPTION 'the deposit of % is known by another id', NEW.tx_hash USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER deposits_guard BEFORE INSERT OR UPDATE OF transfer_id ON deposits
  FOR EACH ROW EXECUTE FUNCTION guard_deposit();
