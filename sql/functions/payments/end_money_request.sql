-- Declines (`declined`, by the person asked) or cancels (`cancelled`, by the requester) an open request, or returns the
-- code and details of the refusal; NULL on success. Waits for a payment of the request that is in progress. Repeating
-- the call changes nothing. A request by link cannot be declined, because others with the link may still pay it.
CREATE OR REPLACE FUNCTION end_money_request(p_request uuid, p_caller uuid, p_state text) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  r  money_requests;
  at timestamptz;
BEGIN
  PERFORM require_arguments('end_money_request', num_nulls(p_request, p_caller) = 0 AND p_state IN ('declined', 'cancelled'));
  SELECT * INTO r FROM money_requests WHERE request_id = p_request FOR UPDATE;
  IF NOT FOUND OR NOT (r.by_link OR p_caller IN (r.asker_id, r.payer_id)) THEN
    RETURN '{"code": "money_request.unknown"}';
  END IF;
  IF p_state = 'cancelled' AND p_caller <> r.asker_id OR p_state = 'declined' AND (r.by_link OR p_caller <> r.payer_id) THEN
    RETURN '{"code": "auth.forbidden"}';
  END IF;
  IF r.state = p_state THEN RETURN NULL; END IF;
  at := date_trunc('milliseconds', clock_timestamp());
  IF r.state <> 'open' OR r.expires_at <= at THEN
    RETURN jsonb_build_object('code', 'money_request.ended', 'details',
      jsonb_build_object('state', CASE r.state WHEN 'open' THEN 'expired' ELSE r.state END));
  END IF;
  UPDATE money_requests SET state = p_state, ended_at = at WHERE request_id = p_request;
  RETURN NULL;
END $$;
