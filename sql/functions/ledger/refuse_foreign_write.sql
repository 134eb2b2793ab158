-- Only the ledger's functions write money.
CREATE OR REPLACE FUNCTION refuse_foreign_write() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stack text;
BEGIN
  GET DIAGNOSTICS stack = PG_CONTEXT;
  IF stack !~ '(?n)^PL/pgSQL function (\w+\.)?ledger_(move|pay_users)\(' THEN
    RAISE EXCEPTION '% on % is refused: only the ledger''s functions write it', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transfers_by_ledger BEFORE INSERT ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
-- Everything but `tier` and `paused`, which are not money.
CREATE OR REPLACE TRIGGER accounts_by_ledger
  BEFORE UPDATE OF account_id, asset_id, kind, user_id, available, held, entries, hour, hour_payments, hour_spent,
                   day_payments, day_spent, month_spent
  ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
CREATE OR REPLACE TRIGGER spendings_by_ledger BEFORE INSERT OR UPDATE OR DELETE ON spendings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_foreign_write();
