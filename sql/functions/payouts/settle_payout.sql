-- After a pass over the rows of a payout: applies the ends of its payments to addresses, ends rows that have waited too
-- long or were cancelled, unless the chain may have paid them, and updates the payout's state. `p_waits`: why rows wait, as the pass has found; NULL: none do. Returns the
-- payout's new state; NULL if the payout does not exist.
CREATE OR REPLACE FUNCTION settle_payout(p_payout uuid, p_waits jsonb) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
DECLARE
  p       payouts;
  at      timestamptz := date_trunc('milliseconds', clock_timestamp());
  now_    text;
  is_open record;
BEGIN
  PERFORM require_arguments('settle_payout', p_payout IS NOT NULL AND coalesce(jsonb_typeof(p_waits), 'object') = 'object');
  SELECT * INTO p FROM payouts WHERE payout_id = p_payout FOR UPDATE;
  IF p.payout_id IS NULL OR p.state NOT IN ('running', 'waiting', 'stopping') THEN RETURN p.state; END IF;
  UPDATE payout_items i
     SET state = CASE s.state WHEN 'COMPLETE' THEN 'paid' ELSE 'failed' END,
         error = CASE WHEN s.state <> 'COMPLETE' THEN jsonb_build_object('code', 'payment.ended', 'details',
           jsonb_build_object('state', s.state, 'reason', s.error_reason)) END
    FROM payments s
   WHERE i.payout_id = p_payout AND i.state = 'sent' AND s.payment_id = i.payment_id AND payment_is_final(s.state);
  IF p.state = 'stopping' OR p_waits IS NOT NULL AND payout_is_late(p) THEN
    UPDATE payout_items i SET state = CASE p.state WHEN 'stopping' THEN 'cancelled' ELSE 'failed' END,
           error = CASE WHEN p.state <> 'stopping' THEN p_waits END
     WHERE payout_id = p_payout AND state = 'ready' AND NOT payout_row_in_doubt(i);
  END IF;
  SELECT coalesce(bool_or(state = 'ready'), false) AS rows_ready, coalesce(bool_or(state = 'sent'), false) AS rows_sent INTO is_open
    FROM payout_items WHERE payout_id = p_payout AND state IN ('ready', 'sent');
  now_ := CASE
    WHEN p.state = 'stopping' THEN CASE WHEN is_open.rows_sent OR is_open.rows_ready THEN 'stopping' ELSE 'cancelled' END
    WHEN is_open.rows_ready AND p_waits IS NOT NULL THEN 'waiting'
    WHEN is_open.rows_ready OR is_open.rows_sent THEN 'running'
    ELSE 'complete' END;
  UPDATE payouts SET state = now_, waits_for = CASE WHEN now_ = 'waiting' THEN p_waits END,
         ended_at = CASE WHEN payout_is_final(now_) THEN at END
   WHERE payout_id = p_payout AND (state, waits_for) IS DISTINCT FROM (now_, CASE WHEN now_ = 'waiting' THEN p_waits END);
  RETURN now_;
END $$;
