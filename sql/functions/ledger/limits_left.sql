-- The limits of a person in a currency and how much of each is used now. It reads the same rows as the functions that pay, without
-- locks. The counters of the last hour stay in the account's row until the person spends in a later hour.
CREATE OR REPLACE FUNCTION limits_left(p_user uuid, p_currency text) RETURNS TABLE (
  kyc_status text, name text, reason text, payment_limit bigint, day_limit bigint, month_limit bigint, day_payments integer,
  payments bigint, day_spent bigint, month_spent bigint, day_resets_at timestamptz, month_resets_at timestamptz,
  is_verified boolean, next_payment bigint, next_day bigint, next_month bigint, next_count integer
) LANGUAGE sql STABLE AS $$
  SELECT u.kyc_status, t.name, p.words, t.payment_limit, t.day_limit, t.month_limit, t.day_payments,
         w.payments, w.day_spent, w.month_spent,
         to_timestamp((w.day_oldest + hours_counted('day') + 1)::bigint * 3600),
         to_timestamp((w.month_oldest + hours_counted('month') + 1)::bigint * 3600),
         t.tier = v.tier, v.payment_limit, v.day_limit, v.month_limit, v.day_payments
    FROM users u
    LEFT JOIN LATERAL (
      SELECT x.* FROM accounts x JOIN assets s USING (asset_id) WHERE x.user_id = u.user_id AND s.symbol = p_currency
         AND x.asset_id = coalesce(home_asset_of(p_currency), x.asset_id) ORDER BY x.account_id LIMIT 1) a ON true
    JOIN tiers t ON t.tier = coalesce(a.tier, (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = u.kyc_status AND k.currency = p_currency))
    JOIN tiers v ON v.tier = (SELECT k.tier FROM kyc_tiers k WHERE k.kyc_status = 'approved' AND k.currency = p_currency)
    -- A person may have several pauses. As in a refusal, the first is named, in words for customers.
    LEFT JOIN LATERAL (SELECT pause_words(scope, cause) AS words FROM pauses
      WHERE scope = 'user:' || u.user_id ORDER BY paused_at LIMIT 1) p ON true
   CROSS JOIN LATERAL (
      SELECT coalesce(sum(s.payments) FILTER (WHERE s.today), 0)::bigint AS payments,
             coalesce(sum(s.spent) FILTER (WHERE s.today), 0)::bigint AS day_spent,
             coalesce(sum(s.spent), 0)::bigint AS month_spent,
             min(s.hour) FILTER (WHERE s.today) AS day_oldest, min(s.hour) AS month_oldest
        FROM (SELECT b.*, b.hour >= n.hour - hours_counted('day') AS today
                FROM (SELECT greatest(coalesce(a.hour, 0), hour_of(clock_timestamp()))) AS n(hour),
                     (SELECT hour, payments, spent FROM spendings WHERE account_id = a.account_id
                       UNION ALL SELECT a.hour, a.hour_payments, a.hour_spent) b
               WHERE b.hour >= n.hour - hours_counted('month') AND b.payments > 0) s) w
   WHERE u.user_id = p_user
$$;
