-- The provider knows a held transfer after all: it is followed again, and decisions about it no longer count. If it has
-- no id yet, it is held again before the next request (`hold_transfer`), unless the worker has stored its id by then.
CREATE OR REPLACE FUNCTION resume_transfer(p_move uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('resume_transfer', p_move IS NOT NULL);
  UPDATE provider_transfers SET held_at = NULL WHERE move_id = p_move AND held_at IS NOT NULL;
END $$;
