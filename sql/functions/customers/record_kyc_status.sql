-- Writes an event for every status that a person's identity check reaches, in the same commit. These events have their
-- own range of feed positions, so `payments_next_place` does not have to read this table.
CREATE OR REPLACE FUNCTION record_kyc_status() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  base  bigint := ledger_tx_seq() + 8192;
  place bigint;
BEGIN
  SELECT coalesce(max(seq) + 1, base) INTO place FROM kyc_events WHERE seq >= base AND seq < base + 8192;
  IF place >= base + 8192 THEN
    RAISE EXCEPTION 'too many changes of statuses in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  INSERT INTO kyc_events (seq, user_id, status, at)
  VALUES (place, NEW.user_id, NEW.kyc_status, date_trunc('milliseconds', clock_timestamp()));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER users_kyc_event AFTER UPDATE OF kyc_status ON users FOR EACH ROW
  WHEN (OLD.kyc_status IS DISTINCT FROM NEW.kyc_status) EXECUTE FUNCTION record_kyc_status();
