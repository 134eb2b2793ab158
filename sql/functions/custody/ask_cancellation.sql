-- Requests the cancellation of a move that was started. The move is not started again, and its rail tries to stop it.
-- The coins stay reserved until the outcome is certain. Returns false if cancellation was already requested, or the
-- move has ended.
CREATE OR REPLACE FUNCTION ask_cancellation(p_move uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ask_cancellation', p_move IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  UPDATE coin_moves SET cancel_wanted_at = date_trunc('milliseconds', clock_timestamp())
   WHERE move_id = p_move AND state = 'open' AND cancel_wanted_at IS NULL;
  RETURN FOUND;
END $$;
