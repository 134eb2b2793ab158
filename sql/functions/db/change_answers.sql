-- Changes the answers of records that `claim_records` has just claimed. For NULL, the record is removed and the key is
-- free again.
CREATE OR REPLACE FUNCTION change_answers(p_ids uuid[], p_answers json[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE idempotency_records r SET answer = n.answer
    FROM unnest(p_ids, p_answers) AS n(id, answer) WHERE r.record_id = n.id AND n.answer IS NOT NULL;
  DELETE FROM idempotency_records r USING unnest(p_ids, p_answers) AS n(id, answer)
   WHERE r.record_id = n.id AND n.answer IS NULL;
END $$;
