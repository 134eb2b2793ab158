-- The provider does not know a transfer that it was asked for longer ago than it keeps keys: asked again, it might make it a
-- second time. Or it does not know one that it has named: nobody but the chain says what becomes of it. From now on people
-- decide (`approve_transfer_end`), until the provider knows it again (`resume_transfer`). Answers whether it is held.
CREATE OR REPLACE FUNCTION hold_transfer(p_move uuid, p_key_life interval) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('hold_transfer', p_move IS NOT NULL AND p_key_life >= interval '0');
  UPDATE provider_transfers SET held_at = clock_timestamp(), waits_for = NULL
   WHERE move_id = p_move AND held_at IS NULL
     AND (provider_state = 'new' AND attempts > 0 OR provider_state IN ('submitted', 'sent', 'done'))
     AND coalesce(first_asked_at, submitted_at) <= clock_timestamp() - p_key_life;
  RETURN EXISTS (SELECT FROM provider_transfers WHERE move_id = p_move AND held_at IS NOT NULL);
END $$;
