-- Cancels the rows of a payout that have not begun. Sends to addresses continue; when they have ended, the payout is
-- `cancelled`. A row of a confirmed payout that the chain may have paid before a restore continues too
-- (`recover_payout_rows`). Returns the new state, or NULL if the payout had already ended. Only functions of payouts
-- call it, after locking the payout.
CREATE OR REPLACE FUNCTION stop_payout(p payouts) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  at    timestamptz := date_trunc('milliseconds', clock_timestamp());
  ended boolean;
BEGIN
  IF payout_is_final(p.state) THEN RETURN NULL; END IF;
  IF p.state = 'stopping' THEN RETURN p.state; END IF;
  UPDATE payout_items i SET state = 'cancelled' WHERE payout_id = p.payout_id AND state = 'ready'
     AND NOT (p.state IN ('running', 'waiting') AND payout_row_in_doubt(i));
  ended := NOT EXISTS (SELECT FROM payout_items WHERE payout_id = p.payout_id AND state IN ('sent', 'ready'));
  UPDATE payouts SET state = CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END, waits_for = NULL, cancelled_at = at,
         ended_at = CASE WHEN ended THEN at END
   WHERE payout_id = p.payout_id;
  RETURN CASE WHEN ended THEN 'cancelled' ELSE 'stopping' END;
END $$;
