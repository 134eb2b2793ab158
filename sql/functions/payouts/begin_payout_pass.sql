-- Locks a payout whose rows are about to be paid. If its key may no longer be used, or its payer has closed their
-- account, all rows that have not begun fail with that error. NULL if there is nothing to pay.
CREATE OR REPLACE FUNCTION begin_payout_pass(p_payout uuid) RETURNS payouts LANGUAGE plpgsql AS $$
DECLARE
  p       payouts;
  refusal jsonb;
BEGIN
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN NULL; END IF;
  -- `close_account` refuses while a payout may pay. Accounts that an earlier version has closed may still have one.
  IF EXISTS (SELECT FROM users WHERE user_id = p.payer_id AND closed_at IS NOT NULL) THEN
    refusal := '{"code": "account.closed", "details": {}}';
  ELSE
    refusal := find_key_refusals(ARRAY[p.key_id], ARRAY[p.certificate], ARRAY[p.client])->'1';
  END IF;
  IF refusal IS NULL THEN RETURN p; END IF;
  UPDATE payout_items SET state = 'failed', error = refusal WHERE payout_id = p_payout AND state = 'ready';
  RETURN NULL;
END $$;
