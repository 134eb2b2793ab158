-- The nonce of an authorization never changes, and the latest validity that was ever signed never moves to an earlier
-- time.
CREATE OR REPLACE FUNCTION guard_authorization() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF (NEW.move_id, NEW.nonce) <> (OLD.move_id, OLD.nonce) OR NEW.valid_before < OLD.valid_before THEN
    RAISE EXCEPTION 'an authorization cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER authorizations_guard BEFORE UPDATE ON authorizations
  FOR EACH ROW EXECUTE FUNCTION guard_authorization();
