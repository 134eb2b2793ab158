-- A payment may end unpaid only after its move has ended: until then the chain could still pay it.
CREATE OR REPLACE FUNCTION guard_payment_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id AND state = 'open') THEN
    RAISE EXCEPTION 'payment % may still be paid', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_on_proof';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payments_guard_end BEFORE UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.state IN ('FAILED', 'DENIED', 'CANCELLED') AND OLD.state <> NEW.state) EXECUTE FUNCTION guard_payment_end();
