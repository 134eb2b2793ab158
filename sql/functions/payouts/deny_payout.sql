-- An operator stops a payout that waits for approvals, or the rows that have not begun of a running one. One operator
-- is enough. Outcomes: `denied`, `unknown`, `ended`.
CREATE OR REPLACE FUNCTION deny_payout(p_payout uuid, p_reason text) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p payouts;
BEGIN
  PERFORM require_arguments('deny_payout', num_nulls(p_payout, p_reason) = 0);
  PERFORM require_operator('approve');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.payout_id IS NULL THEN RETURN 'unknown'; END IF;
  IF stop_payout(p) IS NULL THEN RETURN 'ended'; END IF;
  PERFORM write_audit('operator:' || session_user, 'payout.denied', p.payer_id,
    jsonb_build_object('payout_id', p_payout, 'reason', p_reason));
  RETURN 'denied';
END $$;
