-- When a payment is COMPLETE, its address becomes a known recipient of the wallet.
CREATE OR REPLACE FUNCTION remember_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO recipients (wallet_id, address) VALUES (NEW.wallet_id, lower(NEW.destination)) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_recipient AFTER INSERT OR UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.state = 'COMPLETE' AND NEW.wallet_id IS NOT NULL) EXECUTE FUNCTION remember_recipient();
