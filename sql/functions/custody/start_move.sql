-- The guards of every rail call this before a move is signed or handed to a provider. It locks the move and returns
-- whether it may be started: it has not ended, and no cancellation is requested. Ending or cancelling it changes the
-- same row.
CREATE OR REPLACE FUNCTION start_move(p_move uuid, p_rail text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE coin_moves SET started_at = coalesce(started_at, clock_timestamp())
   WHERE move_id = p_move AND rail = p_rail AND state = 'open' AND cancel_wanted_at IS NULL;
  RETURN FOUND;
END $$;
