-- Writes an event for every state that a request reaches, in the same commit.
CREATE OR REPLACE FUNCTION record_request_state() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO money_request_events (seq, request_id, state, at)
  VALUES (payments_next_place(1), NEW.request_id, NEW.state, coalesce(NEW.ended_at, NEW.created_at));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER money_requests_record_state AFTER INSERT OR UPDATE OF state ON money_requests
  FOR EACH ROW EXECUTE FUNCTION record_request_state();
