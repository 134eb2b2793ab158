-- Reads everything that the audit compares in one snapshot: at most `p_limit` movements after `p_after`, and the
-- balances of all accounts. If `p_after` is NULL, it starts after everything that is settled. `o_is_head` is true if it
-- has read every movement; only then does it read the accounts. `o_upto`: all movements up to this `seq` were read, and
-- no movement will be added there. Numbers are returned as text, because they may exceed JSON's number range.
CREATE OR REPLACE FUNCTION books_look(
  p_seed bigint, p_after bigint, p_limit bigint,
  OUT o_seq_base bigint, OUT o_upto bigint, OUT o_is_head boolean, OUT o_movements jsonb, OUT o_accounts jsonb
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  settled_seq bigint := ledger_settled_seq();
  read_rows   bigint;
  last        bigint;
BEGIN
  o_seq_base := (SELECT seq_base FROM ledger_state);
  SELECT coalesce(sum(r.rows), 0), max(r.last_seq), jsonb_agg(jsonb_build_object('asset', r.asset_id, 'rows', r.rows,
           'settled', r.settled::text, 'open', r.open::text, 'broken', r.broken::text[]))
    INTO read_rows, last, o_movements
    FROM books_rows(p_seed, coalesce(p_after, settled_seq - 1), 9223372036854775807, settled_seq, p_limit) r;
  o_is_head := read_rows < p_limit;
  o_upto := CASE WHEN o_is_head THEN settled_seq - 1 ELSE least(last, settled_seq - 1) END;
  IF o_is_head THEN
    SELECT jsonb_agg(jsonb_build_object('asset', a.asset_id, 'sum', a.sum::text, 'balance', a.balance::text))
      INTO o_accounts FROM books_accounts(p_seed) a;
  END IF;
END $$;
