-- Windows are counted in whole hours: an hour leaves the day 24 hours after its end, and the month 720 hours after it.
-- So a payment counts up to an hour too long, and never too short.
CREATE OR REPLACE FUNCTION hour_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM at) / 3600)::integer
$$;
