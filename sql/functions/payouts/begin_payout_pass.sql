-- Locks a payout whose rows are about to be paid. If its key may no longer be used, or its payer has closed their
-- account, all rows that have not begun fail with that error, except those that the chain may have paid. NULL if there
-- is nothing to pay.
CREATE OR REPLACE FUNCTION begin_payout_pass(p_payout uuid) RETURNS payouts LANGUAGE plpgsql AS $$
DECLARE
  p       payouts;
  refusal jsonb;
BEGIN
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN NULL; END IF;
  refusal := payout_refusal(p);
  IF refusal IS NULL THEN RETURN p; END IF;
  IF refusal->>'code' <> 'service.paused' THEN
    UPDATE payout_items i SET state = 'failed', error = refusal
     WHERE payout_id = p_payout AND state = 'ready' AND NOT payout_row_in_doubt(i);
  END IF;
  RETURN NULL;
END $$;
