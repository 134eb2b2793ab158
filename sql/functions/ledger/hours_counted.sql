-- The number of hours before the current one that belong to a window (see `hour_of`).
CREATE OR REPLACE FUNCTION hours_counted(span text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE span WHEN 'month' THEN 720 ELSE 24 END
$$;
