-- Checks every change of a state and writes its event in the same commit, for every statement that changes a state. The
-- first state is the business of `record_first_state`.
--
-- The feed orders events by `seq`, so no two may share one. Within a commit, batches of user payments take places 0 to
-- 16,383, states of payments 16,384 to 32,767, and single moves those from 32,768 on. The next place is looked up, not
-- counted: a commit that completes a thousand payments must not count to a thousand each time.
CREATE OR REPLACE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  base  bigint := ledger_tx_seq() + 16384;
  place bigint;
BEGIN
  IF NEW.payment_id <> OLD.payment_id OR NEW.destination <> OLD.destination THEN
    RAISE EXCEPTION 'what was asked for cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = OLD.state THEN RETURN NULL; END IF;
  IF NOT payment_may_become(OLD.state, NEW.state) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT coalesce(max(seq) + 1, base) INTO place FROM payment_events WHERE seq >= base AND seq < base + 16384;
  -- The next place would be that of a movement.
  IF place >= base + 16384 THEN
    RAISE EXCEPTION 'too many changes of states in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  VALUES (place, NEW.payment_id, NEW.state, NEW.tx_hash, NEW.updated_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_record_state AFTER UPDATE ON payments
  FOR EACH ROW EXECUTE FUNCTION record_state();
