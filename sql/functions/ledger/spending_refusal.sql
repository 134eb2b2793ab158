-- May this account spend this amount? Returns NULL if it may. Otherwise returns the first reason against it, in this
-- order: `user_paused` (also after the account was closed), `kyc` (people of this tier cannot pay), `insufficient`,
-- `payment_limit`, `day_limit`, `month_limit`, `count_limit` (of the tier), `key_limit` (of the service key), `passkey` (the person
-- wants to confirm such an amount with a passkey; the caller then looks for the proof).
--
-- This is the only place with these conditions. The caller holds the locks of the accounts. `p_paused` and
-- `p_available` belong to the account that pays; `p_payments`, `p_day` and `p_month` are the counters of the account
-- that counts its owner's spending. A limit that is NULL does not apply, nor does `p_left`, the remaining budget of the
-- key, nor `p_above`, the amount above which the account's owner wants to be asked.
--
-- This is one SQL expression without SET clauses, so PostgreSQL inlines it and payments between people do not pay for a
-- call. Pauses of all people or of a blockchain do not belong to an account: see `find_pause`.
CREATE OR REPLACE FUNCTION spending_refusal(
  t tiers, p_paused boolean, p_available bigint, p_payments integer, p_day bigint, p_month bigint, p_amount bigint, p_left bigint,
  p_above bigint
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_paused THEN 'user_paused'
    WHEN t.payment_limit = 0 THEN 'kyc'
    WHEN (p_available >= p_amount) IS NOT TRUE THEN 'insufficient'
    WHEN p_amount > t.payment_limit THEN 'payment_limit'
    WHEN p_day + p_amount > t.day_limit THEN 'day_limit'
    WHEN p_month + p_amount > t.month_limit THEN 'month_limit'
    WHEN p_payments >= t.day_payments THEN 'count_limit'
    WHEN p_amount > p_left THEN 'key_limit'
    WHEN p_amount > p_above THEN 'passkey'
  END
$$;
