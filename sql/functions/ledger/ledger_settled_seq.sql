-- Everything with a `seq` below this has been committed or never will be (see `ledger_state`).
CREATE OR REPLACE FUNCTION ledger_settled_seq() RETURNS bigint LANGUAGE sql AS $$
  SELECT (SELECT seq_base FROM ledger_state) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint * 65536
$$;
