-- Claims the first deliveries of an endpoint that takes events in order, and counts an attempt for each: the first
-- waiting delivery and those that follow it, as long as each is due. Claims nothing while the first is not due. Due
-- test events are included. The endpoint's row is locked first, so that a second worker sees what the first has claimed
-- and does not start in the middle.
CREATE OR REPLACE FUNCTION claim_in_order(p_endpoint uuid, p_limit integer, p_claim_ms integer)
  RETURNS SETOF webhook_deliveries LANGUAGE plpgsql AS $$
DECLARE
  first text[];
BEGIN
  PERFORM FROM webhook_endpoints e WHERE e.endpoint_id = p_endpoint FOR NO KEY UPDATE;
  first := ARRAY(
    SELECT o.event_id FROM (
      SELECT w.event_id, bool_and(w.due_at <= now()) OVER (ORDER BY w.place) AS is_due FROM (
        SELECT f.event_id, f.place, f.due_at FROM webhook_deliveries f
         WHERE f.endpoint_id = p_endpoint AND f.due_at IS NOT NULL AND NOT f.is_test
         ORDER BY f.place LIMIT p_limit) w) o
     WHERE o.is_due
    UNION ALL
    SELECT t.event_id FROM webhook_deliveries t
     WHERE t.endpoint_id = p_endpoint AND t.due_at <= now() AND t.is_test);
  PERFORM FROM webhook_deliveries d WHERE d.endpoint_id = p_endpoint AND d.event_id = ANY (first)
    ORDER BY d.event_id FOR UPDATE;
  RETURN QUERY
  UPDATE webhook_deliveries d
     SET due_at = clock_timestamp() + p_claim_ms * interval '1 millisecond', attempts = d.attempts + 1
   WHERE d.endpoint_id = p_endpoint AND d.event_id = ANY (first) AND d.due_at IS NOT NULL
  RETURNING d.*;
END $$;
