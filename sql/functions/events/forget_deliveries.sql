-- Deliveries of webhooks older than `p_days`, in these pages. What still waits stays while its endpoint is not
-- removed: on again, it misses nothing. The event itself stays in the feed, from which it can be sent again.
CREATE OR REPLACE FUNCTION forget_deliveries(p_days integer, p_from tid, p_to tid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM webhook_deliveries d WHERE d.ctid >= p_from AND d.ctid < p_to
     AND d.created_at < now() - make_interval(days => p_days)
     AND (d.state <> 'waiting' OR NOT EXISTS (SELECT FROM webhook_endpoints e
                                               WHERE e.endpoint_id = d.endpoint_id AND e.removed_at IS NULL));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
