-- A cancellation is signed only while it is requested and the move has not ended. It is sent immediately, no matter how
-- often the payment itself failed before.
CREATE OR REPLACE FUNCTION guard_cancellation() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM coin_moves WHERE move_id = NEW.move_id AND state = 'open' AND cancel_wanted_at IS NOT NULL
      FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no cancellation of move % is requested, or the move has ended', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cancellations_only_while_wanted';
  END IF;
  UPDATE authorizations SET failures = 0, carry_after = clock_timestamp() WHERE move_id = NEW.move_id;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER cancellations_guard BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION guard_cancellation();
