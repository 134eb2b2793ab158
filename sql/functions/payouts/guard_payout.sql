-- The checked contents of a payout cannot change and an end is final. Nothing is paid before the payout is confirmed
-- and, if required, approved by two operators. A payout does not end before all its rows have ended.
CREATE OR REPLACE FUNCTION guard_payout() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF (NEW.payout_id, NEW.key_id, NEW.on_shortage, NEW.row_count, NEW.total, NEW.known_count,
      NEW.known_total, NEW.created_at)
      IS DISTINCT FROM (OLD.payout_id, OLD.key_id, OLD.on_shortage, OLD.row_count, OLD.total,
      OLD.known_count, OLD.known_total, OLD.created_at)
    OR NEW.payer_id IS DISTINCT FROM OLD.payer_id
    OR OLD.confirmed_at IS NOT NULL
      AND (NEW.confirmed_at, NEW.approvals_needed) IS DISTINCT FROM (OLD.confirmed_at, OLD.approvals_needed)
  THEN
    RAISE EXCEPTION 'the checked contents of a payout cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = OLD.state AND NOT payout_is_final(OLD.state) THEN RETURN NEW; END IF;
  -- In parentheses, because PL/pgSQL would end the IF condition at the first THEN.
  IF NOT (CASE OLD.state
      WHEN 'checked' THEN NEW.state IN ('approving', 'running', 'cancelled')
      WHEN 'approving' THEN NEW.state IN ('running', 'cancelled')
      WHEN 'running' THEN NEW.state IN ('waiting', 'stopping', 'complete', 'cancelled')
      WHEN 'waiting' THEN NEW.state IN ('running', 'stopping', 'complete', 'cancelled')
      WHEN 'stopping' THEN NEW.state = 'cancelled'
      ELSE false END)
  THEN
    RAISE EXCEPTION 'a payout cannot go from % to %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'running' AND OLD.state <> 'waiting' AND NEW.approvals_needed > count_payout_approvals(NEW.payout_id) THEN
    RAISE EXCEPTION 'payout % is not approved', NEW.payout_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payouts_approved';
  END IF;
  IF payout_is_final(NEW.state) AND EXISTS (SELECT FROM payout_items
       WHERE payout_id = NEW.payout_id AND state IN ('ready', 'sent')) THEN
    RAISE EXCEPTION 'rows of payout % have not ended', NEW.payout_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payouts_end_with_their_rows';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payouts_guard BEFORE UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION guard_payout();
