-- An operator decides about a waiting arrival. `by_address`: the arrival belongs to the wallet with its address,
-- whatever wallet the provider names; the worker decides it again, and still checks whether it is one of our moves.
-- `dismiss`: no one is credited. Returns false if no such arrival waits.
CREATE OR REPLACE FUNCTION rule_arrival(p_provider_id uuid, p_ruling text, p_reason text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  a open_arrivals;
BEGIN
  PERFORM require_arguments('rule_arrival', num_nulls(p_provider_id, p_ruling, p_reason) = 0 AND p_ruling IN ('by_address', 'dismiss'));
  PERFORM require_operator('custody');
  SELECT * INTO a FROM open_arrivals WHERE provider_id = p_provider_id FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_ruling = 'by_address' THEN
    UPDATE open_arrivals SET by_address = true, due_at = clock_timestamp()
     WHERE network_id = a.network_id AND provider_id = p_provider_id;
  ELSE
    INSERT INTO arrivals (network_id, provider_id, to_address, verdict)
    VALUES (a.network_id, p_provider_id, coalesce(a.record ->> 'to', ''), 'other')
    ON CONFLICT (network_id, provider_id) DO UPDATE SET verdict = 'other', decided_at = clock_timestamp()
       WHERE arrivals.verdict = 'unowned';
    DELETE FROM open_arrivals WHERE network_id = a.network_id AND provider_id = p_provider_id;
  END IF;
  PERFORM write_audit('operator:' || session_user, 'arrival.ruled', NULL,
    jsonb_build_object('arrival_id', p_provider_id, 'ruling', p_ruling, 'reason', p_reason));
  RETURN true;
END $$;
