-- Checks every change of a state and writes its event in the same commit, for every statement that changes a state.
-- `record_first_state` handles the first state.
CREATE OR REPLACE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.payment_id <> OLD.payment_id OR NEW.destination <> OLD.destination
    OR NEW.wallet_id IS DISTINCT FROM OLD.wallet_id OR NEW.fee IS DISTINCT FROM OLD.fee
    -- A row from before amounts were stored gets its own, once.
    OR NEW.amount IS DISTINCT FROM OLD.amount AND (OLD.amount IS NOT NULL OR NEW.amount + NEW.fee IS DISTINCT FROM
      (SELECT t.amount FROM transfers t WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold')) THEN
    RAISE EXCEPTION 'the terms of a payment cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = OLD.state THEN RETURN NULL; END IF;
  IF NOT payment_may_become(OLD.state, NEW.state) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'CLEARED' AND NEW.approvals_needed > count_approvals(NEW.payment_id) THEN
    RAISE EXCEPTION 'payment % is not approved by enough people', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_cleared_by_enough';
  END IF;
  -- A state that the chain has already reached is shown, whatever the payment waits for. Such a payment has a move.
  IF NEW.state IN ('QUEUED', 'SENT', 'STUCK', 'CONFIRMED') AND payment_waits(NEW)
    AND NOT EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id)
  THEN
    RAISE EXCEPTION 'payment % waits for approvals or its delay', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_wait';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  VALUES (payments_next_place(1), NEW.payment_id, NEW.state, NEW.tx_hash, NEW.updated_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_record_state AFTER UPDATE ON payments
  FOR EACH ROW EXECUTE FUNCTION record_state();
