-- Windows are counted in whole hours: an hour leaves the day when it ended 24 hours ago, and the month when it ended 720
-- hours ago. So a share counts up to an hour longer than it must, and never shorter.
CREATE OR REPLACE FUNCTION hour_of(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM at) / 3600)::integer
$$;
