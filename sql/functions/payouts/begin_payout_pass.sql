-- Locks a payout for one who is about to pay rows of it, and asks whether its key may still be used: if not, everything
-- that has not begun fails with that. NULL: there is nothing to pay.
CREATE OR REPLACE FUNCTION begin_payout_pass(p_payout uuid) RETURNS payouts LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p       payouts;
  refusal jsonb;
BEGIN
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND state IN ('running', 'waiting') FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN NULL; END IF;
  refusal := find_key_refusals(ARRAY[p.key_id], ARRAY[p.certificate], ARRAY[p.client])->'1';
  IF refusal IS NULL THEN RETURN p; END IF;
  UPDATE payout_items SET state = 'failed', error = refusal WHERE payout_id = p_payout AND state = 'ready';
  RETURN NULL;
END $$;
