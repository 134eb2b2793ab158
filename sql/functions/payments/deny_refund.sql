-- Denies a proposed refund by the treasury. One operator is enough, even the one who proposed it. Outcomes: `denied`,
-- also if it was denied before; `before` (already booked); `unknown`.
CREATE OR REPLACE FUNCTION deny_refund(p_id uuid, p_reason text, OUT outcome text, OUT details jsonb, OUT amount bigint)
  LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  asked refunds;
BEGIN
  PERFORM require_arguments('deny_refund', num_nulls(p_id, p_reason) = 0);
  PERFORM refuse_unnamed(session_user);
  -- Waits for an approval of the same refund, which locks this row before it books.
  PERFORM FROM refund_totals WHERE payment_id = (SELECT payment_id FROM refunds WHERE refund_id = p_id) FOR UPDATE;
  SELECT * INTO asked FROM refunds WHERE refund_id = p_id AND source = 'treasury';
  outcome := CASE WHEN asked.refund_id IS NULL THEN 'unknown' WHEN asked.booked_at IS NOT NULL THEN 'before' ELSE 'denied' END;
  amount := asked.amount;
  IF outcome <> 'denied' OR asked.denied_at IS NOT NULL THEN RETURN; END IF;
  UPDATE refunds SET denied_by = session_user, denied_at = date_trunc('milliseconds', clock_timestamp())
   WHERE refund_id = p_id;
  PERFORM forget_notes_of(ARRAY[p_id]);
  PERFORM write_audit('operator:' || session_user, 'refund.denied', NULL,
    jsonb_build_object('refund_id', p_id, 'payment_id', asked.payment_id, 'amount', asked.amount::text, 'reason', p_reason));
END $$;
