-- Locks the budgets of these payments' keys until the commit, so that payments with one key are counted one after
-- another in all processes, and brings the budgets up to the current hour. Only budgets with a day or month limit are
-- locked; other keys cost nothing here. `o_at`: per payment, the position of its budget in the other arrays, or NULL.
-- `o_left`: what may still be spent. Budgets are locked in the order of their keys, before accounts.
CREATE OR REPLACE FUNCTION lock_key_budgets(
  p_keys uuid[], p_payers uuid[], OUT o_at integer[], OUT o_keys uuid[], OUT o_pays text[], OUT o_left bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  now_hour integer;
  b        key_budgets;
BEGIN
  o_at := array_fill(NULL::integer, ARRAY[cardinality(p_keys)]);
  IF NOT EXISTS (SELECT FROM key_budgets WHERE key_id = ANY (p_keys) AND counted_since IS NOT NULL) THEN
    RETURN;
  END IF;
  FOR b IN
    SELECT x.* FROM key_budgets x
     WHERE x.counted_since IS NOT NULL AND (x.key_id, x.pays) IN (
       SELECT u.key, CASE WHEN u.payer IS NULL THEN 'treasury' ELSE 'people' END
         FROM unnest(p_keys, p_payers) AS u(key, payer) WHERE u.key IS NOT NULL)
     ORDER BY x.key_id, x.pays FOR NO KEY UPDATE
  LOOP
    -- Taken under the lock, so that it is not earlier than the hour of the budget's last spending.
    now_hour := greatest(hour_of(clock_timestamp()), b.hour);
    IF b.hour < now_hour OR EXISTS (SELECT FROM key_refunds r WHERE r.key_id = b.key_id AND r.pays = b.pays) THEN
      b := turn_key_budget(b, now_hour);
    END IF;
    o_keys := o_keys || b.key_id;
    o_pays := o_pays || b.pays;
    -- A missing limit does not apply: least() ignores NULL.
    o_left := o_left || least(b.day_limit - b.day_spent - b.hour_spent, b.month_limit - b.month_spent - b.hour_spent);
  END LOOP;
  o_at := ARRAY(
    SELECT (SELECT p.n FROM unnest(o_keys, o_pays) WITH ORDINALITY AS p(key, pays, n)
             WHERE p.key = u.key AND p.pays = CASE WHEN u.payer IS NULL THEN 'treasury' ELSE 'people' END)::integer
      FROM unnest(p_keys, p_payers) WITH ORDINALITY AS u(key, payer, n) ORDER BY u.n);
END $$;
