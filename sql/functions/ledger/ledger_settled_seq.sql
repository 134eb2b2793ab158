-- Everything with a `seq` below this has been committed or never will be (see `ledger_state`). "Settled" refers to the
-- order of movements here, not to coins that were moved between wallets (`settlements`).
--
-- STABLE, so that it uses the same snapshot as the statement that reads movements beside it. With a later snapshot it
-- would treat a movement that was committed meanwhile as already read, and that statement would never see it.
CREATE OR REPLACE FUNCTION ledger_settled_seq() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT seq_base FROM ledger_state) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint * 65536
$$;
