-- Deletes webhook deliveries older than `p_days`, in these pages. Waiting deliveries stay until their endpoint is
-- removed, so that an endpoint that is enabled again misses nothing. The event stays in the feed and can be sent again
-- from there.
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
