-- Ends a send that was never started: no outside party has received it, and from now on none will. Returns true also if
-- there is no move. Returns false if it was started: then only the chain or the provider can end it. The caller has
-- locked the payment and its accounts; the wallet is locked here, before the move.
--
-- After a restore, this database does not know whether a payment was signed or handed over before, so it cannot be ended
-- yet.
CREATE OR REPLACE FUNCTION end_unstarted(p_move uuid) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  m coin_moves;
BEGIN
  PERFORM require_arguments('end_unstarted', p_move IS NOT NULL);
  PERFORM refuse_other_operators('cancel');
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move;
  IF m.started_at IS NOT NULL THEN RETURN false; END IF;
  IF may_be_handed_over(p_move) OR EXISTS (SELECT FROM transfers t JOIN assets s USING (asset_id)
              WHERE t.transfer_id = p_move AND t.kind = 'hold' AND may_be_signed(s.network_id, NULL)) THEN
    RAISE EXCEPTION 'payment % may have been signed before this database was restored', p_move
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'moves_from_before_a_restore';
  END IF;
  IF m.move_id IS NULL THEN RETURN true; END IF;
  PERFORM FROM holdings WHERE asset_id = m.asset_id AND wallet_id = m.wallet_id FOR NO KEY UPDATE;
  UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = p_move AND state = 'open' AND started_at IS NULL;
  RETURN FOUND;
END $$;
