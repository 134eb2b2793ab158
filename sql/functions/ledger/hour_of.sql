-- Windows are counted in whole hours: an hour leaves the day 24 hours after its end, and the month 720 hours after its
-- end. So a payment may count up to an hour too long, but never too short.
CREATE OR REPLACE FUNCTION hour_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM at) / 3600)::integer
$$;
