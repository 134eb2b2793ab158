-- The conditions that a payment waits for are decided when it is accepted and never change.
CREATE OR REPLACE FUNCTION refuse_other_waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a payment waits for cannot change' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER payments_keep_waits BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((OLD.approvals_needed, OLD.not_before) IS DISTINCT FROM (NEW.approvals_needed, NEW.not_before))
  EXECUTE FUNCTION refuse_other_waits();
