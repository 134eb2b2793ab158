-- Begins a new hour for accounts that spend. It stores their last hour in `spendings` and returns what they spent in
-- the day and month before `p_hour`. It adds up `spendings` each time, so an error in the counters cannot last.
CREATE OR REPLACE FUNCTION ledger_turn_hour(
  p_hour integer, p_accounts bigint[], p_hours integer[], p_payments integer[], p_spent bigint[]
) RETURNS TABLE (account_id bigint, day_payments integer, day_spent bigint, month_spent bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM spendings s WHERE s.account_id = ANY (p_accounts) AND s.hour < p_hour - hours_counted('month');
  INSERT INTO spendings (account_id, hour, payments, spent)
  SELECT u.account_id, u.hour, u.payments, u.spent
    FROM unnest(p_accounts, p_hours, p_payments, p_spent) AS u(account_id, hour, payments, spent)
   WHERE u.payments > 0 AND u.hour >= p_hour - hours_counted('month');
  RETURN QUERY
    SELECT u.account_id, coalesce(w.day_payments, 0), coalesce(w.day_spent, 0), coalesce(w.month_spent, 0)
      FROM unnest(p_accounts) AS u(account_id)
      LEFT JOIN (
        -- Looks up the keys: with nested loops off, a join would read the whole table.
        SELECT s.account_id,
               (sum(s.payments) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::integer AS day_payments,
               (sum(s.spent) FILTER (WHERE s.hour >= p_hour - hours_counted('day')))::bigint AS day_spent,
               sum(s.spent)::bigint AS month_spent
          FROM spendings s WHERE s.account_id = ANY (p_accounts) GROUP BY s.account_id) w USING (account_id);
END $$;
