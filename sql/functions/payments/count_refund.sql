-- A refund counts when its money has moved. Then the movement must exist and match the refund, and all refunds of a
-- payment together must not exceed what it paid (`refunds_never_more`). A decision never changes.
CREATE OR REPLACE FUNCTION count_refund() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  original record;
  movement transfers;
  giver    bigint;
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.booked_at IS NOT NULL OR OLD.denied_at IS NOT NULL
    OR (NEW.booked_at IS NULL AND NEW.denied_at IS NULL)
    OR (OLD.refund_id, OLD.payment_id, OLD.source, OLD.amount, OLD.reason, OLD.proposed_by, OLD.proposed_at)
    IS DISTINCT FROM
       (NEW.refund_id, NEW.payment_id, NEW.source, NEW.amount, NEW.reason, NEW.proposed_by, NEW.proposed_at)) THEN
    RAISE EXCEPTION 'a decision about a refund cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.booked_at IS NULL THEN RETURN NEW; END IF;
  SELECT * INTO original FROM paid_by(NEW.payment_id);
  SELECT * INTO movement FROM transfers_by_id(ARRAY[NEW.refund_id]);
  giver := CASE NEW.source WHEN 'receiver' THEN original.payee ELSE (SELECT account_id FROM accounts
    WHERE kind = 'treasury' AND accounts.asset_id = original.asset_id AND user_id IS NULL) END;
  IF (movement.kind, movement.debit_account, movement.credit_account, movement.amount)
    IS DISTINCT FROM ('user', giver, original.payer, NEW.amount) THEN
    RAISE EXCEPTION 'a refund without its movement is refused'
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_of_movements';
  END IF;
  INSERT INTO refund_totals AS total (payment_id, paid, refunded) VALUES (NEW.payment_id, original.amount, NEW.amount)
  ON CONFLICT (payment_id) DO UPDATE SET refunded = total.refunded + excluded.refunded;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER refunds_count BEFORE INSERT OR UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION count_refund();
