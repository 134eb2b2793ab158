-- How far a payment has come. News of an earlier stage, or of the same, is old news.
CREATE OR REPLACE FUNCTION payment_stage(state text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE state WHEN 'INITIATED' THEN 0 WHEN 'CLEARED' THEN 1 WHEN 'QUEUED' THEN 2 WHEN 'SENT' THEN 3
                    WHEN 'STUCK' THEN 4 WHEN 'CONFIRMED' THEN 5 ELSE 6 END
$$;
