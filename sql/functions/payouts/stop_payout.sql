-- Cancels what of a payout has not begun. What was sent to addresses goes on; with its end the payout is `cancelled`.
-- Answers the new state, or NULL when it was at its end before. For functions of this room, which have locked the payout.
CREATE OR REPLACE FUNCTION stop_payout(p payouts) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  at    timestamptz := date_trunc('milliseconds', clock_timestamp());
  ended boolean;
BEGIN
  IF payout_is_final(p.state) THEN RETURN NULL; END IF;
  IF p.state = 'stopping' THEN RETURN p.state; END IF;
  UPDATE payout_items SET state = 'cancelled' WHERE payout_id = p.payout_id AND state = 'ready';
  ended := NOT EXISTS (SELECT FROM payout_items WHERE payout_id = p.payout_id AND state = 'sent');
  UPDATE payouts SET state = CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END, waits_for = NULL, cancelled_at = at,
         ended_at = CASE WHEN ended THEN at END
   WHERE payout_id = p.payout_id;
  RETURN CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END;
END $$;
