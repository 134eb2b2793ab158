-- Deletes hours of spending older than `p_days`, in these pages. Rolling limits count 30 days. For people who keep
-- spending, `ledger_turn_hour` deletes old hours when the next hour begins.
CREATE OR REPLACE FUNCTION forget_spendings(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM spendings WHERE ctid >= p_from AND ctid < p_to AND hour < hour_of(now()) - p_days * 24;
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
