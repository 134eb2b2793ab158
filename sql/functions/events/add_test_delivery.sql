-- Delivers an event that never happened, so that a receiver can be tested. The event is marked as a test, and its id
-- cannot belong to a real event.
CREATE OR REPLACE FUNCTION add_test_delivery(p_endpoint uuid) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  added text;
BEGIN
  PERFORM require_arguments('add_test_delivery', p_endpoint IS NOT NULL);
  INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data, is_test)
  SELECT endpoint_id, 'evt_test_' || replace(gen_random_uuid()::text, '-', ''), place, 'webhook.test',
         date_trunc('milliseconds', now()), '{"message": "This is a test. Nothing has happened."}', true
    FROM webhook_endpoints WHERE endpoint_id = p_endpoint
  RETURNING event_id INTO added;
  RETURN added;
END $$;
