-- Changes the limits of a tier that are in `p_limits` (`payment`, `day`, `month`, `count`; null means no limit).
-- Returns false if the tier does not exist. `record_tier` writes the login and the reason into the history. Commands of
-- release 0.2.0 pass `p_actor`; it is ignored.
CREATE OR REPLACE FUNCTION ledger_set_tier(p_name text, p_limits jsonb, p_actor text, p_reason text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_set_tier', p_name IS NOT NULL AND jsonb_typeof(p_limits) = 'object');
  PERFORM require_operator('limits');
  PERFORM set_config('florin.actor', 'operator:' || session_user, true), set_config('florin.reason', p_reason, true);
  UPDATE tiers
     SET payment_limit = CASE WHEN p_limits ? 'payment' THEN (p_limits->>'payment')::bigint ELSE payment_limit END,
         day_limit = CASE WHEN p_limits ? 'day' THEN (p_limits->>'day')::bigint ELSE day_limit END,
         month_limit = CASE WHEN p_limits ? 'month' THEN (p_limits->>'month')::bigint ELSE month_limit END,
         day_payments = CASE WHEN p_limits ? 'count' THEN (p_limits->>'count')::integer ELSE day_payments END
   WHERE name = p_name;
  RETURN FOUND;
END $$;
