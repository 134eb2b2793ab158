-- Deletes answers under an Idempotency-Key older than `p_days`, in these pages, except the answers of payments. A later
-- request with the same key is a new call.
CREATE OR REPLACE FUNCTION forget_answers(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM idempotency_records
   WHERE ctid >= p_from AND ctid < p_to AND created_at < now() - make_interval(days => p_days)
     AND NOT is_payments_answer(record_id, answer);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
