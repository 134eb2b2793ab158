-- The error code for a refusal of `spending_refusal`, or for a refusal that only payments between people have. NULL for
-- `key_limit`, whose error `broken_key_limit` makes, and for outcomes that are not refusals.
CREATE OR REPLACE FUNCTION refusal_code(p_refusal text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_refusal
    WHEN 'paused' THEN 'service.paused'
    WHEN 'user_paused' THEN 'user.paused'
    WHEN 'kyc' THEN 'kyc.required'
    WHEN 'insufficient' THEN 'balance.insufficient'
    WHEN 'payment_limit' THEN 'limit.exceeded'
    WHEN 'day_limit' THEN 'limit.exceeded'
    WHEN 'month_limit' THEN 'limit.exceeded'
    WHEN 'count_limit' THEN 'limit.exceeded'
    WHEN 'unknown_payer' THEN 'user.unknown'
    WHEN 'unknown_name' THEN 'username.unknown'
    WHEN 'self' THEN 'payment.self'
    WHEN 'passkey' THEN 'passkey.required'
  END
$$;
