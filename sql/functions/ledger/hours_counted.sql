-- How many hours before the present one a window holds (see `hour_of`).
CREATE OR REPLACE FUNCTION hours_counted(span text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE span WHEN 'month' THEN 720 ELSE 24 END
$$;
