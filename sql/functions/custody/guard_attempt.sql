-- Once a relay transaction has been rewritten, signed bytes of its older versions can no longer be committed, and so
-- are not broadcast.
CREATE OR REPLACE FUNCTION guard_attempt() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM carriers WHERE carrier_id = NEW.carrier_id AND version = NEW.version FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'relay transaction % has a newer version', NEW.carrier_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'carrier_attempts_of_version';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER carrier_attempts_guard BEFORE INSERT ON carrier_attempts
  FOR EACH ROW EXECUTE FUNCTION guard_attempt();
