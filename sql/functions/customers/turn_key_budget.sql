-- Brings a locked budget up to an hour. It stores the previous hour in `key_spendings`, subtracts payments that ended
-- unpaid, and recounts day and month from those rows, so an error in the counters cannot last.
CREATE OR REPLACE FUNCTION turn_key_budget(b key_budgets, p_hour integer) RETURNS key_budgets LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO key_spendings (key_id, pays, hour, spent) VALUES (b.key_id, b.pays, b.hour, b.hour_spent)
  ON CONFLICT (key_id, pays, hour) DO UPDATE SET spent = excluded.spent;
  WITH taken AS (
    DELETE FROM key_refunds WHERE key_id = b.key_id AND pays = b.pays RETURNING hour, amount
  ), sums AS (
    SELECT hour, sum(amount) AS amount FROM taken GROUP BY hour
  )
  UPDATE key_spendings s SET spent = greatest(s.spent - sums.amount, 0)
    FROM sums WHERE s.key_id = b.key_id AND s.pays = b.pays AND s.hour = sums.hour;
  DELETE FROM key_spendings s
   WHERE s.key_id = b.key_id AND s.pays = b.pays AND s.hour < p_hour - hours_counted('month');
  SELECT coalesce(sum(s.spent) FILTER (WHERE s.hour = p_hour), 0),
         coalesce(sum(s.spent) FILTER (WHERE s.hour < p_hour AND s.hour >= p_hour - hours_counted('day')), 0),
         coalesce(sum(s.spent) FILTER (WHERE s.hour < p_hour), 0)
    INTO b.hour_spent, b.day_spent, b.month_spent
    FROM key_spendings s WHERE s.key_id = b.key_id AND s.pays = b.pays;
  b.hour := p_hour;
  UPDATE key_budgets SET hour = b.hour, hour_spent = b.hour_spent, day_spent = b.day_spent, month_spent = b.month_spent
   WHERE key_id = b.key_id AND pays = b.pays;
  RETURN b;
END $$;
