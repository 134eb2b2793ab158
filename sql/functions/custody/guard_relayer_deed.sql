-- Operators who restart a relayer (`restartRelayer`) write these tables; only operators with the right role may.
CREATE OR REPLACE FUNCTION guard_relayer_deed() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse_other_operators('custody');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER relayers_by_operators BEFORE UPDATE ON relayers FOR EACH STATEMENT
  EXECUTE FUNCTION guard_relayer_deed();
CREATE OR REPLACE TRIGGER carriers_by_operators BEFORE INSERT ON carriers FOR EACH STATEMENT
  EXECUTE FUNCTION guard_relayer_deed();
