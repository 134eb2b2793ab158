-- A provider is asked for a move only while the move is open and no cancellation is requested, and always under the
-- same key. The provider's id for it stays, unless two operators have adopted another. Without an id, the transfer ends
-- only on proof: the answer to the only request that was made, or the decision of two operators that it was never made.
CREATE OR REPLACE FUNCTION guard_provider_transfer() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.move_id, NEW.provider, NEW.key, NEW.submitted_at) <> (OLD.move_id, OLD.provider, OLD.key, OLD.submitted_at)
      OR (OLD.provider_id IS NOT NULL AND NEW.provider_id IS DISTINCT FROM OLD.provider_id
          AND NOT EXISTS (SELECT FROM transfer_decisions d
             WHERE d.move_id = NEW.move_id AND d.verdict = 'adopt' AND d.provider_id = NEW.provider_id
               AND d.decided_at >= OLD.held_at)) THEN
      RAISE EXCEPTION 'a transfer of a provider cannot become another one'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_stay';
    END IF;
    IF NEW.provider_state IN ('failed', 'cancelled') AND NEW.provider_id IS NULL AND OLD.provider_state = 'new'
      AND (OLD.attempts > 1 OR OLD.held_at IS NOT NULL) AND NOT EXISTS (
        SELECT FROM transfer_decisions d
         WHERE d.move_id = NEW.move_id AND d.verdict = 'never_made' AND d.decided_at >= OLD.held_at) THEN
      RAISE EXCEPTION 'the provider may have made the transfer of move %', NEW.move_id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_end_on_proof';
    END IF;
  -- A move that is to be cancelled and counts as started is only looked up (`cancel_at_provider`): `ask_transfer`
  -- refuses it.
  ELSIF NOT start_move(NEW.move_id, 'provider') AND NOT EXISTS (
    SELECT FROM coin_moves WHERE move_id = NEW.move_id AND rail = 'provider' AND state = 'open'
       AND started_at IS NOT NULL AND cancel_wanted_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM provider_transfers WHERE move_id = NEW.move_id)) THEN
    RAISE EXCEPTION 'move % has ended or is to be cancelled', NEW.move_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'provider_transfers_only_while_open';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER provider_transfers_guard BEFORE INSERT OR UPDATE ON provider_transfers
  FOR EACH ROW EXECUTE FUNCTION guard_provider_transfer();
