-- Cancels the rows of a payout that have not begun, for the key that created it. Outcomes: `cancelled`, also if it was
-- cancelled before; `unknown`; `ended` (everything had ended).
CREATE OR REPLACE FUNCTION cancel_payout(p_payout uuid, p_key uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('cancel_payout', num_nulls(p_payout, p_key) = 0);
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN 'unknown'; END IF;
  IF p.state IN ('stopping', 'cancelled') THEN RETURN 'cancelled'; END IF;
  IF stop_payout(p) IS NULL THEN RETURN 'ended'; END IF;
  PERFORM write_audit('key:' || p_key, 'payout.cancelled', p.payer_id, jsonb_build_object('payout_id', p_payout));
  RETURN 'cancelled';
END $$;
