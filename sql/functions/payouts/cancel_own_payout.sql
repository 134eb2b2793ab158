-- Cancels the rows of a payout that have not begun, for the key that created it. Outcomes: `cancelled`, also if it was
-- cancelled before; `unknown`; `ended` (everything had ended); `refused`, with the code and details of the error about
-- the key.
CREATE OR REPLACE FUNCTION cancel_own_payout(
  p_payout uuid, p_key uuid, p_certificate text, p_client inet, OUT outcome text, OUT details jsonb
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('cancel_own_payout', num_nulls(p_payout, p_key) = 0);
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout AND key_id = p_key FOR UPDATE;
  IF p.payout_id IS NULL THEN outcome := 'unknown'; RETURN; END IF;
  details := find_key_refusals(ARRAY[p_key], ARRAY[decode(p_certificate, 'hex')], ARRAY[p_client])->'1';
  IF details IS NOT NULL THEN outcome := 'refused'; RETURN; END IF;
  outcome := 'cancelled';
  IF p.state IN ('stopping', 'cancelled') THEN RETURN; END IF;
  IF stop_payout(p) IS NULL THEN outcome := 'ended'; RETURN; END IF;
  PERFORM write_audit('key:' || p_key, 'payout.cancelled', p.payer_id, jsonb_build_object('payout_id', p_payout));
END $$;
