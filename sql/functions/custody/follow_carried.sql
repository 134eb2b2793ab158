-- Updates `authorizations.carried` when a relay transaction (`carriers`) includes or drops a call or changes its state,
-- and when a move ends. Ended moves count as carried, so that a search for uncarried authorizations finds only those
-- still to be sent.
CREATE OR REPLACE FUNCTION follow_carried() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'carrier_calls' THEN
    UPDATE authorizations SET carried = is_carried(move_id)
     WHERE move_id = NEW.move_id AND carried <> is_carried(move_id);
  ELSIF TG_TABLE_NAME = 'coin_moves' THEN
    UPDATE authorizations SET carried = true WHERE move_id = NEW.move_id AND NOT carried;
  ELSIF NEW.state <> OLD.state THEN
    UPDATE authorizations a SET carried = NOT a.carried
      FROM carrier_calls l JOIN coin_moves m USING (move_id)
     WHERE l.carrier_id = NEW.carrier_id AND a.move_id = l.move_id
       AND a.carried <> (m.state <> 'open' OR is_carried(a.move_id));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER carrier_calls_follow_carried AFTER INSERT OR UPDATE OF dropped_in ON carrier_calls
  FOR EACH ROW EXECUTE FUNCTION follow_carried();
CREATE OR REPLACE TRIGGER carriers_follow_carried AFTER UPDATE OF state ON carriers
  FOR EACH ROW EXECUTE FUNCTION follow_carried();
CREATE OR REPLACE TRIGGER coin_moves_follow_carried AFTER UPDATE OF state ON coin_moves
  FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state <> 'open') EXECUTE FUNCTION follow_carried();
