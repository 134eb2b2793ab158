-- A payment ends together with its hold: COMPLETE if the hold was posted, unpaid if it was released. It may end unpaid
-- only after its move has ended, and not while it may have been signed before a restore, because the chain could still
-- pay it.
CREATE OR REPLACE FUNCTION guard_payment_end() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.state <> 'COMPLETE' AND EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id AND state = 'open') THEN
    RAISE EXCEPTION 'payment % may still be paid', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_on_proof';
  END IF;
  IF NEW.state <> 'COMPLETE' AND NOT EXISTS (SELECT FROM coin_moves WHERE move_id = NEW.payment_id)
    AND (may_be_handed_over(NEW.payment_id) OR EXISTS (
      SELECT FROM transfers t JOIN assets s USING (asset_id) WHERE t.transfer_id = NEW.payment_id AND t.kind = 'hold'
         AND may_be_signed(s.network_id, NULL))) THEN
    RAISE EXCEPTION 'payment % may have been signed before this database was restored', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'moves_from_before_a_restore';
  END IF;
  IF (SELECT kind FROM transfers WHERE hold_id = NEW.payment_id)
     IS DISTINCT FROM (CASE NEW.state WHEN 'COMPLETE' THEN 'post' ELSE 'release' END) THEN
    RAISE EXCEPTION 'payment % must end together with its hold', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'payments_end_with_their_holds';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payments_guard_end BEFORE UPDATE OF state ON payments FOR EACH ROW
  WHEN (NEW.state IN ('COMPLETE', 'FAILED', 'DENIED', 'CANCELLED') AND OLD.state <> NEW.state)
  EXECUTE FUNCTION guard_payment_end();
