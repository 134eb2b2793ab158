-- Guards every change of an authorization, whatever the code looks like:
--   - who pays whom how much under which nonce never changes, and what is dead stays dead;
--   - a payment whose hold has ended, or that still waits for people or its time, gets no open authorization. What the
--     chain has done already (`used`, `dead`) is written down whatever the payment waits for;
--   - a wish to cancel stays, and only what was paid comes back after a reorg.
-- It locks the payment, which whoever releases its hold locks too.
CREATE OR REPLACE FUNCTION guard_authorization() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payments;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.authorization_id, NEW.asset_id, NEW.wallet_id, NEW.purpose, NEW.nonce, NEW.from_address, NEW.to_address,
        NEW.value) <> (OLD.authorization_id, OLD.asset_id, OLD.wallet_id, OLD.purpose, OLD.nonce, OLD.from_address,
        OLD.to_address, OLD.value) THEN
      RAISE EXCEPTION 'an authorization cannot change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.valid_before < OLD.valid_before OR (OLD.state = 'dead' AND NEW.state <> 'dead') THEN
      RAISE EXCEPTION 'an authorization cannot come back' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'open' AND OLD.cancel_wanted_at IS DISTINCT FROM NEW.cancel_wanted_at
      AND OLD.cancel_wanted_at IS NOT NULL THEN
      RAISE EXCEPTION 'a cancellation that was asked for stays' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'used' AND NEW.state = 'open' AND NEW.purpose = 'send'
      AND NOT EXISTS (SELECT FROM transfers WHERE hold_id = NEW.authorization_id) THEN
      RAISE EXCEPTION 'payment % was never paid', NEW.authorization_id USING ERRCODE = 'restrict_violation';
    END IF;
  ELSIF NEW.purpose = 'send' THEN
    SELECT * INTO p FROM payments WHERE payment_id = NEW.authorization_id FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM transfers WHERE hold_id = NEW.authorization_id) THEN
      RAISE EXCEPTION 'payment % has no open hold', NEW.authorization_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'open' AND payment_waits(p) THEN
      RAISE EXCEPTION 'payment % waits', NEW.authorization_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'authorizations_wait';
    END IF;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER authorizations_guard BEFORE INSERT OR UPDATE ON authorizations
  FOR EACH ROW EXECUTE FUNCTION guard_authorization();
