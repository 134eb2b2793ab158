-- The error that a caller gets when `ledger_apply` refuses a hold: its code, and its details with amounts in decimals. The
-- same as `refuseOutcome` in server/src/ledger/moveMoney.ts, for functions that store a refusal in their own commit.
-- NULL when the outcome is no refusal.
CREATE OR REPLACE FUNCTION ledger_refusal(p_outcome text, p_details jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('code', r.code, 'details', coalesce((
      SELECT jsonb_object_agg(d.key, CASE
          WHEN d.key IN ('available', 'maximum', 'left') AND p_details->>'unit' IS DISTINCT FROM 'payments'
          THEN to_jsonb(trim_scale(d.value::numeric / 1000000)::text) ELSE to_jsonb(d.value) END)
        FROM jsonb_each_text(p_details) d), '{}'))
    FROM (VALUES ('user_paused', 'user.paused'), ('kyc', 'kyc.required'), ('insufficient', 'balance.insufficient'),
                 ('limit', 'limit.exceeded')) AS r(outcome, code)
   WHERE r.outcome = p_outcome
$$;
