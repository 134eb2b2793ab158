-- The first `seq` of this database transaction (see `ledger_state`).
CREATE OR REPLACE FUNCTION ledger_tx_seq() RETURNS bigint LANGUAGE sql AS $$
  SELECT (SELECT seq_base FROM ledger_state) + pg_current_xact_id()::text::bigint * 65536
$$;
