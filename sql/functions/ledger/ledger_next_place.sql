-- The first of `p_count` positions in the feed for movements of this database transaction, which may already have made
-- others. Positions below 32,768 belong to `payments_next_place` and batches. Positions from 65,536 on belong to other
-- database transactions, so they are refused. The next position is looked up, not counted, so that a commit with a
-- thousand movements does not count to a thousand each time. The caller has set `enable_seqscan = off`.
CREATE OR REPLACE FUNCTION ledger_next_place(p_count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  base  bigint := ledger_tx_seq();
  place bigint;
BEGIN
  SELECT coalesce(max(seq) + 1, base + 32768) INTO place
    FROM transfers WHERE seq >= base + 32768 AND seq < base + 65536;
  IF place + p_count > base + 65536 THEN
    RAISE EXCEPTION 'too many movements in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $$;
