-- A name that was resolved a moment ago may have been renamed or released since. Every process keeps what it has
-- resolved together with the epoch it was read in; a batch that carries an old epoch is sent back to resolve again.
-- New names change nothing that was resolved before, so they do not count.
CREATE OR REPLACE FUNCTION count_name_change() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_next_names_epoch();
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usernames_epoch AFTER UPDATE OR DELETE ON usernames
  FOR EACH ROW EXECUTE FUNCTION count_name_change();
