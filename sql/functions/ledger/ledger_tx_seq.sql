-- The first `seq` of this database transaction (see `ledger_state`). After a logical restore, and before a process has
-- called `ledger_rebase`, it could be below movements that a worker has already processed (`kept_positions`). A worker
-- that writes a false position slows payments down but does not stop them.
CREATE OR REPLACE FUNCTION ledger_tx_seq() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  number   bigint := pg_current_xact_id()::text::bigint * 65536;
  followed bigint := (SELECT seq FROM kept_positions);
BEGIN
  IF (SELECT seq_base FROM ledger_state) + number < followed THEN PERFORM ledger_rebase(); END IF;
  RETURN (SELECT seq_base FROM ledger_state) + number;
END $$;
