-- Changed coins are compared with the chain in the next reconciliation pass.
CREATE OR REPLACE FUNCTION mark_unchecked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.unchecked := true;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER holdings_mark_unchecked BEFORE UPDATE OF coins ON holdings
  FOR EACH ROW WHEN (OLD.coins IS DISTINCT FROM NEW.coins) EXECUTE FUNCTION mark_unchecked();
