-- The answer under a payment's key is never deleted while the payment exists: without it, the key could pay again.
-- Other answers are kept for at least a week. A record of the current database transaction may be deleted, because
-- `change_answers` withdraws what it has claimed.
CREATE OR REPLACE FUNCTION guard_answer() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF (OLD.created_at > now() - interval '7 days' AND OLD.created_at < now()) OR is_payments_answer(OLD.record_id, OLD.answer) THEN
    RAISE EXCEPTION 'the answer of an idempotency key is kept' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER idempotency_records_stay BEFORE DELETE ON idempotency_records
  FOR EACH ROW EXECUTE FUNCTION guard_answer();
