-- The first `seq` of this database transaction (see `ledger_state`). After a logical restore, and before a process has
-- called `ledger_rebase`, it could be too low: up to `ids_upto`, where PostgreSQL refuses movements, or, if servers
-- kept running during the restore, below movements that a worker has already processed (`kept_positions`). A worker
-- that writes a false position slows payments down but does not stop them.
CREATE OR REPLACE FUNCTION ledger_tx_seq() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  number   bigint := pg_current_xact_id()::text::bigint * 65536;
  followed bigint := (SELECT seq FROM kept_positions);
  state    ledger_state;
BEGIN
  SELECT * INTO state FROM ledger_state;
  IF state.seq_base + number <= state.ids_upto OR state.seq_base + number < followed THEN
    PERFORM ledger_rebase();
    SELECT * INTO state FROM ledger_state;
    -- `seq_base` is unchanged because newer transactions are already above. A retry of this transaction will be, too.
    IF state.seq_base + number <= state.ids_upto THEN
      RAISE EXCEPTION 'the movements of this transaction would come too early' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  RETURN state.seq_base + number;
END $$;
