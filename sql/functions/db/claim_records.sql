-- Claims the records of many keyed requests in one statement, for a function that decides them in the same commit. A
-- new record gets the expected answer; `change_answers` corrects it before the commit. Returns only the records that
-- were not claimed: `replayed` with the stored answer; `mismatch` if the key was used for another request;
-- `in_progress` if another call is still working on it.
--
-- The records are inserted in the order of their ids, so that two processes with the same keys do not deadlock. A
-- request that is in progress delays the others of its batch only briefly; the caller asks for it again.
CREATE OR REPLACE FUNCTION claim_records(p_ids uuid[], p_hashes bytea[], p_answers json[])
RETURNS TABLE (record_id uuid, outcome text, answer json) LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
#variable_conflict use_column
DECLARE
  claimed  uuid[] := '{}';
  found_id uuid;
  u        record;
BEGIN
  BEGIN
    WITH inserted AS (
      INSERT INTO idempotency_records (record_id, request_hash, answer)
      SELECT n.id, n.hash, n.answer FROM unnest(p_ids, p_hashes, p_answers) AS n(id, hash, answer) ORDER BY n.id
      ON CONFLICT (record_id) DO NOTHING RETURNING record_id
    )
    SELECT coalesce(array_agg(record_id), '{}') INTO claimed FROM inserted;
  EXCEPTION WHEN lock_not_available THEN
    -- At least one is in progress. Claiming them one at a time shows which.
    PERFORM set_config('lock_timeout', '20ms', true);
    FOR u IN SELECT n.* FROM unnest(p_ids, p_hashes, p_answers) AS n(id, hash, answer) ORDER BY n.id LOOP
      BEGIN
        INSERT INTO idempotency_records (record_id, request_hash, answer) VALUES (u.id, u.hash, u.answer)
        ON CONFLICT (record_id) DO NOTHING RETURNING record_id INTO found_id;
        IF FOUND THEN claimed := claimed || found_id; END IF;
      EXCEPTION WHEN lock_not_available THEN
        record_id := u.id;
        outcome := 'in_progress';
        RETURN NEXT;
      END;
    END LOOP;
  END;
  IF cardinality(claimed) = cardinality(p_ids) THEN RETURN; END IF;
  RETURN QUERY
    SELECT r.record_id, CASE WHEN r.request_hash = n.hash THEN 'replayed' ELSE 'mismatch' END,
           CASE WHEN r.request_hash = n.hash THEN r.answer END
      FROM unnest(p_ids, p_hashes) AS n(id, hash) JOIN idempotency_records r ON r.record_id = n.id
     WHERE n.id <> ALL (claimed);
END $$;
