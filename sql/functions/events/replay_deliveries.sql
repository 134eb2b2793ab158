-- Among the next `p_limit` events after `p_after` in the feed, makes deliveries due for those that the endpoint wants,
-- that belong to its account if it has one, and that happened from `p_since` until before `p_until`; missing deliveries
-- are created. Returns how many, and how far it has read.
CREATE OR REPLACE FUNCTION replay_deliveries(
    p_endpoint uuid, p_after bigint, p_limit integer, p_since timestamptz, p_until timestamptz,
    OUT events integer, OUT last_place bigint, OUT last_at timestamptz, OUT looked_at integer) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('replay_deliveries',
    num_nulls(p_endpoint, p_after, p_since, p_until) = 0 AND p_limit BETWEEN 1 AND 10000);
  WITH found AS MATERIALIZED (SELECT * FROM read_events(p_after, NULL, p_limit, p_limit)),
  again AS (
    INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
    SELECT e.endpoint_id, f.event_id, f.seq, f.type, f.at, webhook_data(f.type, f.subject_id, coalesce(o.own, f.people))
      FROM webhook_endpoints e, found f,
           LATERAL (SELECT (SELECT ARRAY[k.user_id] FROM service_keys k WHERE k.key_id = e.key_id AND k.user_id IS NOT NULL) AS own) o
     WHERE e.endpoint_id = p_endpoint AND e.types && ARRAY['*', split_part(f.type, '.', 1) || '.*', f.type]
       AND (o.own <@ f.people) IS NOT FALSE AND f.at >= p_since AND f.at < p_until
     ORDER BY f.event_id
    ON CONFLICT (endpoint_id, event_id) DO UPDATE SET state = 'waiting', due_at = now(), attempts = 0
    RETURNING 1)
  SELECT (SELECT count(*) FROM again)::integer, max(f.seq), max(f.at), count(*)::integer
    INTO events, last_place, last_at, looked_at FROM found f;
END $$;
