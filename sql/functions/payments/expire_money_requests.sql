-- Marks open requests whose time is over as expired, and returns how many. The timing does not matter: payments and
-- readers of a request compare the time themselves.
CREATE OR REPLACE FUNCTION expire_money_requests(p_limit integer) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  at   timestamptz := clock_timestamp();
  done integer;
BEGIN
  PERFORM require_arguments('expire_money_requests', p_limit > 0);
  UPDATE money_requests m SET state = 'expired', ended_at = at
    FROM (SELECT request_id FROM money_requests WHERE state = 'open' AND expires_at <= at
           ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED) due
   WHERE m.request_id = due.request_id;
  GET DIAGNOSTICS done = ROW_COUNT;
  RETURN done;
END $$;
