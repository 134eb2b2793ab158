-- Records that a name was taken or an account was opened. Cached names stay valid, and processes may cache the new name
-- or account from now on. If this commit is lost, the new epoch is lost with it, and the processes notice.
CREATE OR REPLACE FUNCTION ledger_add_names_epoch() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM added) THEN UPDATE ledger_state SET names_epoch = names_epoch + 1; END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usernames_added AFTER INSERT ON usernames
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_add_names_epoch();
CREATE OR REPLACE TRIGGER accounts_added AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_add_names_epoch();
