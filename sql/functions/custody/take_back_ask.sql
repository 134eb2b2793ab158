-- The provider has certainly not acted on its only request for a transfer. The transfer counts as never requested.
CREATE OR REPLACE FUNCTION take_back_ask(p_move uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('take_back_ask', p_move IS NOT NULL);
  UPDATE provider_transfers SET attempts = 0, first_asked_at = NULL
   WHERE move_id = p_move AND attempts = 1 AND provider_state = 'new' AND held_at IS NULL;
END $$;
