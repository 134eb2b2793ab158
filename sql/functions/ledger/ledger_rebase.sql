-- After a logical restore the server's transaction ids are small again, and new rows would come before the restored
-- ones in the feed. Called at every start; changes `seq_base` only when a row has a higher `seq` than is possible now.
CREATE OR REPLACE FUNCTION ledger_rebase() RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE ledger_state
     SET seq_base = (SELECT max(seq) FROM transfers)
                    - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE (SELECT max(seq) FROM transfers)
         >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
$$;
