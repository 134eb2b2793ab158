-- The rules of a key, in the form that `write_key_rules` takes; NULL if it has no rules. Amounts and times are text,
-- because JSON parsers would turn numbers into floats.
CREATE OR REPLACE FUNCTION describe_key(p_key uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'any_person', r.any_person,
    'users', (SELECT coalesce(jsonb_agg(p.user_id ORDER BY p.user_id), '[]') FROM key_payers p
               WHERE p.key_id = p_key AND p.user_id IS NOT NULL),
    'wallets', (SELECT coalesce(jsonb_agg(p.wallet_id ORDER BY p.wallet_id), '[]') FROM key_payers p
                 WHERE p.key_id = p_key AND p.wallet_id IS NOT NULL),
    'blockchains', to_jsonb(r.blockchains),
    'destinations', CASE WHEN NOT r.any_destination THEN
      (SELECT coalesce(jsonb_agg(jsonb_build_array(d.first_address, d.last_address)
                                 ORDER BY d.first_address, d.last_address), '[]')
         FROM key_destinations d WHERE d.key_id = p_key) END,
    'expires_at', to_char(r.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'certificate', encode(r.certificate, 'hex'),
    'clients', to_jsonb(r.client_ranges),
    'people', (SELECT jsonb_build_object('payment', b.payment_limit::text, 'day', b.day_limit::text,
                                         'month', b.month_limit::text)
                 FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'people'),
    'treasury', (SELECT jsonb_build_object('payment', b.payment_limit::text, 'day', b.day_limit::text,
                                           'month', b.month_limit::text)
                   FROM key_budgets b WHERE b.key_id = p_key AND b.pays = 'treasury' AND b.allowed))
    FROM key_rules r WHERE r.key_id = p_key
$$;
