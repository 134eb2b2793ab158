-- Changes the limits that `p_limits` names (`payment`, `day`, `month`, `count`; null is no limit) of one tier. False when
-- there is no such tier. Who and why goes into the history, which `record_tier` writes.
CREATE OR REPLACE FUNCTION ledger_set_tier(p_name text, p_limits jsonb, p_actor text, p_reason text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('florin.actor', p_actor, true), set_config('florin.reason', p_reason, true);
  UPDATE tiers
     SET payment_limit = CASE WHEN p_limits ? 'payment' THEN (p_limits->>'payment')::bigint ELSE payment_limit END,
         day_limit = CASE WHEN p_limits ? 'day' THEN (p_limits->>'day')::bigint ELSE day_limit END,
         month_limit = CASE WHEN p_limits ? 'month' THEN (p_limits->>'month')::bigint ELSE month_limit END,
         day_payments = CASE WHEN p_limits ? 'count' THEN (p_limits->>'count')::integer ELSE day_payments END
   WHERE name = p_name;
  RETURN FOUND;
END $$;
