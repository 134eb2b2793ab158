-- Writes an event for every status that a person's identity check reaches, in the same commit.
CREATE OR REPLACE FUNCTION record_kyc_status() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  INSERT INTO kyc_events (seq, user_id, status, at)
  VALUES (people_next_place(), NEW.user_id, NEW.kyc_status, date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER users_kyc_event AFTER UPDATE OF kyc_status ON users FOR EACH ROW
  WHEN (OLD.kyc_status IS DISTINCT FROM NEW.kyc_status) EXECUTE FUNCTION record_kyc_status();
