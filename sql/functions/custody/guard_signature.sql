-- Nothing is signed after a move has ended or its cancellation was requested. Every signature records the latest time
-- until which it is valid.
CREATE OR REPLACE FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF start_move(NEW.move_id, 'eip3009') THEN
    UPDATE authorizations SET valid_before = NEW.valid_before, waits_for = NULL, waits_since = NULL
     WHERE move_id = NEW.move_id AND valid_before < NEW.valid_before;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'move % has ended, is to be cancelled, or was signed for longer', NEW.move_id
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
END $$;

CREATE OR REPLACE TRIGGER signatures_guard BEFORE INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION guard_signature();
