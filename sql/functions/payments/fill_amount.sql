-- Fills in the amount of a payment if its writer does not name it, like the previous release: the held amount without
-- the fee.
CREATE OR REPLACE FUNCTION fill_amount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.amount := (SELECT t.amount FROM transfers t WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold') - NEW.fee;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payments_fill_amount BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.amount IS NULL) EXECUTE FUNCTION fill_amount();
