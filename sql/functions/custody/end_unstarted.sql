-- Ends a send that was never started: nobody outside has heard of it, and from now on nobody will. True also when there is
-- no move. False when it was started: then only the chain or the provider can end it. The payment and its accounts are
-- locked by the caller; the wallet is locked here, before the move.
CREATE OR REPLACE FUNCTION end_unstarted(p_move uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  m coin_moves;
BEGIN
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move;
  IF NOT FOUND THEN RETURN true; END IF;
  PERFORM FROM holdings WHERE asset_id = m.asset_id AND wallet_id = m.wallet_id FOR NO KEY UPDATE;
  UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = p_move AND state = 'open' AND started_at IS NULL;
  RETURN FOUND;
END $$;
