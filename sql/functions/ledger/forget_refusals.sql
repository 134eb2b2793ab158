-- Deletes refusals older than `p_days` that were stored under an Idempotency-Key, in these pages. Later requests with
-- the same key are decided again.
CREATE OR REPLACE FUNCTION forget_refusals(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone uuid[];
BEGIN
  WITH deleted AS (
    DELETE FROM refusals WHERE ctid >= p_from AND ctid < p_to AND created_at < now() - make_interval(days => p_days)
    RETURNING payment_id)
  SELECT coalesce(array_agg(payment_id), '{}') INTO gone FROM deleted;
  PERFORM forget_notes_of(gone);
  RETURN cardinality(gone);
END $$;
