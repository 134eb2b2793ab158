-- Writes an event for every state that a payout reaches, in the same commit.
CREATE OR REPLACE FUNCTION record_payout_state() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.state = OLD.state THEN RETURN NULL; END IF;
  INSERT INTO payout_events (seq, payout_id, state, at)
  VALUES (payments_next_place(1), NEW.payout_id, NEW.state, date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payouts_record_state AFTER INSERT OR UPDATE OF state ON payouts
  FOR EACH ROW EXECUTE FUNCTION record_payout_state();
