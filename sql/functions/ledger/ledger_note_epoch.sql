-- Gives every new epoch its random bits and stores it in `epochs`. If a counter is set back by hand, later epochs are
-- deleted.
CREATE OR REPLACE FUNCTION ledger_note_epoch() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed record;
BEGIN
  IF NEW.names_epoch <> OLD.names_epoch THEN NEW.names_random := ledger_random_bits(); END IF;
  IF NEW.sessions_epoch <> OLD.sessions_epoch THEN NEW.sessions_random := ledger_random_bits(); END IF;
  FOR changed IN
    SELECT * FROM (VALUES ('names', OLD.names_epoch, NEW.names_epoch, NEW.names_random),
                          ('sessions', OLD.sessions_epoch, NEW.sessions_epoch, NEW.sessions_random))
      AS e(kind, before, counter, random) WHERE e.before <> e.counter
  LOOP
    IF changed.counter < changed.before THEN
      DELETE FROM epochs WHERE kind = changed.kind AND counter >= changed.counter;
    END IF;
    INSERT INTO epochs (kind, counter, random) VALUES (changed.kind, changed.counter, changed.random);
    DELETE FROM epochs WHERE kind = changed.kind AND counter <= changed.counter - 10000;
  END LOOP;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER ledger_state_epochs BEFORE UPDATE OF names_epoch, sessions_epoch ON ledger_state
  FOR EACH ROW EXECUTE FUNCTION ledger_note_epoch();
