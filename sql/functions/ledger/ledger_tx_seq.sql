-- The first `seq` of this database transaction (see `ledger_state`). After a logical restore, before a process has called
-- `ledger_rebase`, it could lie too low: up to `ids_upto`, where PostgreSQL refuses movements, or below movements that a worker
-- has already followed (`kept_positions`), if servers kept running during the restore. A worker that writes a false position
-- slows payments down, and stops none.
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
    -- Not changed, because newer transactions are above already: so will this one be when it is tried again.
    IF state.seq_base + number <= state.ids_upto THEN
      RAISE EXCEPTION 'the movements of this transaction would come too early' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  RETURN state.seq_base + number;
END $$;
