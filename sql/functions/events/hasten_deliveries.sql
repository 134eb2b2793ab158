-- Makes waiting deliveries of an endpoint due now and restarts their retry schedule: for one event, or for all. A
-- single event is sent again whatever its state. Returns how many are due.
--
-- Servers and operators change deliveries only through this function and the next ones: an attacker who has taken over
-- a server cannot make the worker sign an event that never happened.
CREATE OR REPLACE FUNCTION hasten_deliveries(p_endpoint uuid, p_event text) RETURNS bigint LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  due bigint;
BEGIN
  PERFORM require_arguments('hasten_deliveries', p_endpoint IS NOT NULL);
  -- Two statements, so that each finds its rows by an index.
  IF p_event IS NULL THEN
    -- In the order of their ids, in which all functions lock deliveries.
    UPDATE webhook_deliveries SET state = 'waiting', due_at = now(), attempts = 0
     WHERE endpoint_id = p_endpoint AND event_id IN (SELECT d.event_id FROM webhook_deliveries d
       WHERE d.endpoint_id = p_endpoint AND d.due_at IS NOT NULL ORDER BY d.event_id FOR UPDATE);
  ELSE
    UPDATE webhook_deliveries SET state = 'waiting', due_at = now(), attempts = 0
     WHERE endpoint_id = p_endpoint AND event_id = p_event;
  END IF;
  GET DIAGNOSTICS due = ROW_COUNT;
  RETURN due;
END $$;
