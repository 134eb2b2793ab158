-- Holds a transfer whose outcome the provider cannot tell: it was requested longer ago than the provider keeps
-- idempotency keys, so a second request might make it again; or the provider had given it an id and no longer knows it,
-- so only the chain shows its outcome. From now on operators decide (`approve_transfer_end`), until the provider knows
-- it again (`resume_transfer`). Returns whether the transfer is held.
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
