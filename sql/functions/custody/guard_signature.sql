-- Nothing is signed after the end of a move, nor after somebody wanted it cancelled. Every signature notes the greatest
-- time it is good for.
CREATE OR REPLACE FUNCTION guard_signature() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF start_move(NEW.move_id, 'eip3009') THEN
    UPDATE authorizations SET valid_before = NEW.valid_before, waits_for = NULL, waits_since = NULL
     WHERE move_id = NEW.move_id AND valid_before < NEW.valid_before;
    IF FOUND THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'move % is ended, to be cancelled, or was signed for longer', NEW.move_id
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'signatures_only_while_open';
END $$;

CREATE OR REPLACE TRIGGER signatures_guard BEFORE INSERT ON signatures FOR EACH ROW EXECUTE FUNCTION guard_signature();
