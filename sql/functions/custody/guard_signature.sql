-- Nothing is signed after the end of an authorization, nor after somebody wanted it cancelled: both change this row, and
-- so does every signature, which notes the greatest time it is good for.
CREATE OR REPLACE FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE authorizations SET valid_before = NEW.valid_before
   WHERE authorization_id = NEW.authorization_id AND state = 'open' AND valid_before < NEW.valid_before
     AND cancel_wanted_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'authorization % is ended, to be cancelled, or was signed for longer', NEW.authorization_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER signatures_guard BEFORE INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION guard_signature();
