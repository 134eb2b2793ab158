-- The next feed position for events of people: statuses of identity checks, keys and passkeys. They have their own range
-- of positions in a commit, so `payments_next_place` does not have to read these tables.
CREATE OR REPLACE FUNCTION people_next_place() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  base  bigint := ledger_tx_seq() + 8192;
  place bigint := coalesce(greatest((SELECT max(seq) FROM kyc_events WHERE seq >= base AND seq < base + 8192),
                                    (SELECT max(seq) FROM key_events WHERE seq >= base AND seq < base + 8192)) + 1, base);
BEGIN
  IF place >= base + 8192 THEN
    RAISE EXCEPTION 'too many changes of statuses in one commit' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  RETURN place;
END $$;
