-- The first of `p_count` feed positions for states of payments, money requests and payouts. The feed orders events by
-- `seq`, so no two may share one. Within a commit, batches of user payments take positions 0 to 8,191, statuses of
-- identity checks and keys 8,192 to 16,383 (`people_next_place`), states 16,384 to 32,767, and other movements those from 32,768
-- on (`ledger_next_place`, which also explains how the next position is found).
CREATE OR REPLACE FUNCTION payments_next_place(p_count bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  base  bigint := ledger_tx_seq() + 16384;
  place bigint;
BEGIN
  SELECT coalesce(greatest((SELECT max(seq) FROM payment_events WHERE seq >= base AND seq < base + 16384),
                           (SELECT max(seq) FROM money_request_events WHERE seq >= base AND seq < base + 16384),
                           (SELECT max(seq) FROM payout_events WHERE seq >= base AND seq < base + 16384)) + 1, base)
    INTO place;
  IF place + p_count > base + 16384 THEN
    RAISE EXCEPTION 'too many changes of states in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $$;
