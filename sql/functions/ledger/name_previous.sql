-- Links the previous rows of both accounts, for rows that are neither payments between people nor holds. The functions
-- that write those have read the accounts anyway and set the links themselves. The previous row may be a payment that
-- no index covers, so the link is required.
CREATE OR REPLACE FUNCTION name_previous() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  NEW.debit_prev := (SELECT last_seq FROM accounts
    WHERE account_id = NEW.debit_account AND last_entry = NEW.debit_entry - 1);
  NEW.credit_prev := (SELECT last_seq FROM accounts
    WHERE account_id = NEW.credit_account AND last_entry = NEW.credit_entry - 1);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER transfers_name_previous BEFORE INSERT ON transfers
  FOR EACH ROW WHEN (NEW.kind NOT IN ('user', 'hold')) EXECUTE FUNCTION name_previous();
