-- The limit of the tier that a payment of `amount` would exceed, as the details of `limit.exceeded`; NULL if no limit
-- is exceeded. `p_hour` is the hour of the account's counters, and the parameters after it are those counters.
-- `raised_by` says how to get a higher limit.
CREATE OR REPLACE FUNCTION broken_limit(
  t tiers, amount bigint, p_account bigint, p_hour integer, payments integer, spent_day bigint, spent_month bigint
) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('tier', t.name, 'raised_by',
      CASE WHEN t.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved'
      AND k.currency = t.currency) THEN 'operator' ELSE 'kyc' END)
    || CASE spending_refusal(t, false, amount, payments, spent_day, spent_month, amount, NULL, NULL)
    WHEN 'payment_limit' THEN
      jsonb_build_object('limit', 'payment', 'unit', t.currency, 'maximum', t.payment_limit::text,
        'left', t.payment_limit::text)
    WHEN 'day_limit' THEN
      jsonb_build_object('limit', 'day', 'unit', t.currency, 'maximum', t.day_limit::text,
        'left', greatest(t.day_limit - spent_day, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'day'))
    WHEN 'month_limit' THEN
      jsonb_build_object('limit', 'month', 'unit', t.currency, 'maximum', t.month_limit::text,
        'left', greatest(t.month_limit - spent_month, 0)::text, 'resets_at', limit_resets_at(p_account, p_hour, 'month'))
    WHEN 'count_limit' THEN
      jsonb_build_object('limit', 'count', 'unit', 'payments', 'maximum', t.day_payments::text, 'left', '0',
        'resets_at', limit_resets_at(p_account, p_hour, 'day'))
  END
$$;
