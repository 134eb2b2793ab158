-- The provider knows a held transfer after all: it is followed again, and what people have decided about it no longer counts.
-- One that has no id yet is held again before it is asked for again (`hold_transfer`), unless the worker has noted its id.
CREATE OR REPLACE FUNCTION resume_transfer(p_move uuid) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('resume_transfer', p_move IS NOT NULL);
  UPDATE provider_transfers SET held_at = NULL WHERE move_id = p_move AND held_at IS NOT NULL;
END $$;
