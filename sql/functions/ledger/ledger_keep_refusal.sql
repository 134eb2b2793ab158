-- Stores the refusal of a payment between people under its id, as `ledger_pay_batch` does for the refusals that it decides. The
-- caller holds the locks of the accounts.
CREATE OR REPLACE FUNCTION ledger_keep_refusal(p_id uuid, p_receiver text, p_amount bigint, p_refusal jsonb, p_at timestamptz)
  RETURNS void LANGUAGE sql AS $$
  INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
  VALUES (p_id, p_receiver, p_amount, p_refusal->>'code', p_refusal->'details', p_at)
$$;
