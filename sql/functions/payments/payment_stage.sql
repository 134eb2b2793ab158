-- The stage that a payment has reached. Updates for an earlier or the same stage are outdated.
CREATE OR REPLACE FUNCTION payment_stage(state text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE state WHEN 'INITIATED' THEN 0 WHEN 'CLEARED' THEN 1 WHEN 'QUEUED' THEN 2 WHEN 'SENT' THEN 3
                    WHEN 'STUCK' THEN 4 WHEN 'CONFIRMED' THEN 5 ELSE 6 END
$$;
