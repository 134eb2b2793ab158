-- Gives the unpaid part of a hold back to its owner's limits: subtracts it from the spending of the hour in which the
-- hold was made, as long as that hour still counts. If that hour's counters are smaller than the amount, because the
-- clock was set back meanwhile, nothing changes, and the limit is slightly too strict.
CREATE OR REPLACE FUNCTION ledger_give_back(p_account bigint, p_hour integer, p_amount bigint, p_whole boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  l      accounts;
  pieces integer := p_whole::integer;
BEGIN
  SELECT * INTO l FROM accounts WHERE account_id = p_account FOR NO KEY UPDATE;
  IF p_hour = l.hour AND l.hour_spent >= p_amount AND l.hour_payments >= pieces THEN
    l.hour_spent := l.hour_spent - p_amount;
    l.hour_payments := l.hour_payments - pieces;
  ELSE
    UPDATE spendings SET spent = spent - p_amount, payments = payments - pieces
     WHERE account_id = p_account AND hour = p_hour AND spent >= p_amount AND payments >= pieces;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  IF p_hour >= l.hour - hours_counted('day') THEN
    l.day_spent := l.day_spent - p_amount;
    l.day_payments := l.day_payments - pieces;
  END IF;
  IF p_hour >= l.hour - hours_counted('month') THEN l.month_spent := l.month_spent - p_amount; END IF;
  PERFORM ledger_write_counters(l);
END $$;
