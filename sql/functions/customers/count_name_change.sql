-- Processes cache resolved names with the epoch in which they read them. When a name is changed or released, a new
-- epoch begins, and a batch of payments with an older epoch must resolve its names again. New names do not make a
-- resolved name wrong: see `ledger_add_names_epoch`.
CREATE OR REPLACE FUNCTION count_name_change() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_next_names_epoch();
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usernames_epoch AFTER UPDATE OR DELETE ON usernames
  FOR EACH ROW EXECUTE FUNCTION count_name_change();
