-- The feed orders events by `seq`, so no two may share one. Transfers of a commit take places 0 to 16,383 (batches of
-- user payments) and from 32,768 on (single moves); the states of payments had begun at 32,768 too, where a deposit that
-- was credited in the same commit could have the same place. They now have places of their own in between. The next
-- place is looked up, not counted: a commit that completes a thousand payments must not count to a thousand each time.
CREATE OR REPLACE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  base bigint := ledger_tx_seq() + 16384;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.payment_id <> OLD.payment_id OR NEW.destination <> OLD.destination THEN
      RAISE EXCEPTION 'what was asked for cannot change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    IF state_rank(NEW.state) <= state_rank(OLD.state) THEN
      RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  INSERT INTO payment_events (seq, payment_id, state, tx_hash, at)
  SELECT coalesce(max(seq) + 1, base), NEW.payment_id, NEW.state, NEW.tx_hash, NEW.updated_at FROM payment_events
   WHERE seq >= base AND seq < base + 16384;
  RETURN NULL;
END $$;
