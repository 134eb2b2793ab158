-- A logical restore starts a cluster whose transaction ids are small again, so that new rows would come before the
-- restored ones. Called at every start: does something only when a row is from a future that cannot have been.
CREATE OR REPLACE FUNCTION ledger_rebase() RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE ledger_state
     SET seq_base = (SELECT max(seq) FROM transfers)
                    - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE (SELECT max(seq) FROM transfers)
         >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
$$;
