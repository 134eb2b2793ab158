-- The error that a caller gets for a refusal of `spending_refusal`: its code, and its details with decimal amounts. For
-- functions that store a refusal in their own commit. NULL if the outcome is not such a refusal.
CREATE OR REPLACE FUNCTION ledger_refusal(p_outcome text, p_details jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('code', r.code, 'details', coalesce((
      SELECT jsonb_object_agg(d.key, CASE
          WHEN d.key IN ('available', 'maximum', 'left', 'above') AND p_details->>'unit' IS DISTINCT FROM 'payments'
          THEN to_jsonb(decimal_amount(d.value::bigint)) ELSE to_jsonb(d.value) END)
        FROM jsonb_each_text(p_details) d), '{}'))
    FROM (SELECT refusal_code(p_outcome) AS code) r
   WHERE r.code IS NOT NULL
$$;
