-- The error details for a refusal of `spending_refusal`, with amounts in millionths. `p_account` pays. `p_counting`
-- counts what its owner spends, and `p_hour`, `p_payments`, `p_day` and `p_month` are its counters.
CREATE OR REPLACE FUNCTION refusal_details(
  p_refusal text, t tiers, p_account bigint, p_available bigint, p_counting bigint, p_hour integer, p_payments integer,
  p_day bigint, p_month bigint, p_amount bigint, p_left bigint
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_refusal = 'user_paused' THEN
    -- A person may have several pauses. The error names the first.
    RETURN (SELECT jsonb_build_object('reason', pause_words(p.scope, p.cause)) FROM accounts x JOIN pauses p ON p.scope = 'user:' || x.user_id
             WHERE x.account_id = p_account ORDER BY p.paused_at LIMIT 1);
  ELSIF p_refusal = 'kyc' THEN
    RETURN (SELECT jsonb_build_object('kyc_status', u.kyc_status) FROM accounts x JOIN users u USING (user_id)
             WHERE x.account_id = p_account);
  ELSIF p_refusal = 'insufficient' THEN
    RETURN jsonb_build_object('available', p_available::text);
  ELSIF p_refusal = 'passkey' THEN
    RETURN (SELECT jsonb_build_object('above', x.passkey_above::text) FROM accounts x WHERE x.account_id = p_account);
  ELSIF p_refusal = 'key_limit' THEN
    RETURN jsonb_build_object('left', p_left);
  END IF;
  RETURN broken_limit(t, p_amount, p_counting, p_hour, p_payments, p_day, p_month);
END $$;
