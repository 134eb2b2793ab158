-- An approval counts only while the payment waits for one, and only from an operator with the right role. It locks the
-- payment, as reserving and releasing do, so that of two concurrent approvals the second sees the first.
CREATE OR REPLACE FUNCTION guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  p payments;
BEGIN
  SELECT * INTO p FROM payments WHERE payment_id = NEW.payment_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM approvals WHERE payment_id = NEW.payment_id AND operator = NEW.operator) THEN
    RAISE EXCEPTION '% has approved payment % before', NEW.operator, NEW.payment_id
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_pkey';
  END IF;
  IF p.payment_id IS NULL OR p.state <> 'INITIATED'
    OR p.approvals_needed <= count_approvals(NEW.payment_id)
  THEN
    RAISE EXCEPTION 'payment % waits for no approval', NEW.payment_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_only_while_waiting';
  END IF;
  IF NOT EXISTS (SELECT FROM operators WHERE name = NEW.operator AND role IN ('admin', 'risk')) THEN
    RAISE EXCEPTION '% is not an operator who may approve', NEW.operator
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'approvals_by_operators';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER approvals_guard BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION guard_approval();
