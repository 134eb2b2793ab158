-- After a logical restore the server's transaction ids are small again, and new rows would come before the restored ones in
-- the feed. Every process that writes calls it when it starts; so does a worker that finds itself ahead of the ledger, and
-- `ledger_tx_seq` where a row would be refused or come too early. It changes `seq_base` only when something in the feed, a
-- settlement that covers a part of it, or the place of a webhook in it has a higher `seq` than is possible now. Each maximum
-- is one lookup in an index. If several processes start together, one changes it and the others find it done. Servers and
-- workers write places of webhooks and settlements themselves; a lie there never moves `seq_base` so far that numbers run out.
CREATE OR REPLACE FUNCTION ledger_rebase() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  furthest CONSTANT bigint := 4611686018427387904;
  newest   bigint := greatest(
    (SELECT max(seq) FROM transfers),
    (SELECT max(seq) FROM payment_events),
    (SELECT max(seq) FROM payout_events),
    (SELECT max(seq) FROM money_request_events),
    (SELECT max(seq) FROM kyc_events),
    -- A webhook that was added after the last event stands behind it; what comes now must not come before its place.
    (SELECT max(place) FROM webhook_endpoints WHERE place <= furthest),
    (SELECT max(covered.seq) FROM assets s,
      LATERAL (SELECT max(covers_seq) AS seq FROM settlements WHERE asset_id = s.asset_id AND covers_seq <= furthest)
        AS covered));
BEGIN
  UPDATE ledger_state SET seq_base = newest - (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) * 65536
   WHERE newest >= seq_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint * 65536;
END $$;
