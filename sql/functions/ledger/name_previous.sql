-- The names of the rows before, for rows that are neither payments between people nor holds: what writes those has read
-- the accounts anyway and names them itself. The row before may be such a payment and in no index, so it must be named here.
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
