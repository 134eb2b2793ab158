-- A cancellation is signed only while somebody wants it and the authorization has not ended.
CREATE OR REPLACE FUNCTION guard_cancellation() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM authorizations WHERE authorization_id = NEW.authorization_id AND state = 'open'
     AND cancel_wanted_at IS NOT NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'nobody wants authorization % cancelled, or it is ended', NEW.authorization_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cancellations_only_while_wanted';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER cancellations_guard BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION guard_cancellation();
