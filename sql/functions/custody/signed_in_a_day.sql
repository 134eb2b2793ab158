-- The amount that the signer has approved for this asset in the last 24 hours. An hour counts as long as any minute of
-- it is within them.
CREATE OR REPLACE FUNCTION signed_in_a_day(p_asset smallint) RETURNS bigint LANGUAGE sql STABLE
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(sum(amount), 0)::bigint FROM signed_hours
   WHERE asset_id = p_asset AND hour >= date_trunc('hour', clock_timestamp()) - interval '24 hours'
$$;
