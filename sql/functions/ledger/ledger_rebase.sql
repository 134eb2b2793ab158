-- After a logical restore, the server's transaction ids are small again, and new rows would precede the restored ones
-- in the feed. Every process that writes calls this function when it starts. So does a worker whose position is ahead
-- of the ledger, and `ledger_tx_seq` when a row would come too early. It changes `seq_base` only if a row
-- of the feed, a settlement that covers part of it, or a webhook's position has a higher `seq` than is possible now.
-- Each maximum is one index lookup. If several processes start together, one changes `seq_base` and the others find it
-- changed. Servers and workers write webhook positions and settlements themselves; a false value there cannot move
-- `seq_base` so far that numbers run out.
CREATE OR REPLACE FUNCTION ledger_rebase() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  furthest CONSTANT bigint := 4611686018427387904;
  newest   bigint := greatest(
    (SELECT max(seq) FROM transfers),
    (SELECT max(seq) FROM payment_events),
    (SELECT max(seq) FROM payout_events),
    (SELECT max(seq) FROM money_request_events),
    (SELECT max(seq) FROM kyc_events),
    (SELECT max(seq) FROM key_events),
    -- A webhook that was added after the last event has a position behind it. New events must not precede that
    -- position.
    (SELECT max(place) FROM webhook_endpoints WHERE place <= furthest),
    (SELECT max(covered.seq) FROM assets s,
      LATERAL (SELECT max(covers_seq) AS seq FROM settlements WHERE asset_id = s.asset_id AND covers_seq <= furthest)
        AS covered));
BEGIN
  UPDATE ledger_state SET seq_base = newest - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE newest >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
END $$;
