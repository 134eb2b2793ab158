-- The error for a payment that exceeds its key's remaining day or month budget. `p_left` is what was left for it.
CREATE OR REPLACE FUNCTION broken_key_limit(p_key uuid, p_pays text, p_left bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT key_limit_refusal(w.span, w.maximum, p_left, to_timestamp((1 + hours_counted(w.span) + coalesce(
           (SELECT min(s.hour) FROM key_spendings s WHERE s.key_id = p_key AND s.pays = p_pays AND s.spent > 0
               AND s.hour >= b.hour - hours_counted(w.span)), b.hour))::bigint * 3600))
    FROM key_budgets b, LATERAL (VALUES ('day', b.day_limit, b.day_spent), ('month', b.month_limit, b.month_spent))
           AS w(span, maximum, spent)
   WHERE b.key_id = p_key AND b.pays = p_pays AND w.maximum IS NOT NULL
   ORDER BY w.maximum - w.spent LIMIT 1
$$;
