-- Writes only the spending counters of an account.
CREATE OR REPLACE FUNCTION ledger_write_counters(l accounts) RETURNS void LANGUAGE sql AS $$
  UPDATE accounts SET hour = l.hour, hour_payments = l.hour_payments, hour_spent = l.hour_spent,
    day_payments = l.day_payments, day_spent = l.day_spent, month_spent = l.month_spent
   WHERE account_id = l.account_id;
$$;
