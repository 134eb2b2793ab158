-- A provider reports that something happened to a transfer. We ask the provider about it immediately and trust nothing
-- else in the report.
CREATE OR REPLACE FUNCTION wake_transfer(p_provider text, p_provider_id text) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('wake_transfer', num_nulls(p_provider, p_provider_id) = 0);
  UPDATE provider_transfers SET asked_at = NULL WHERE provider = p_provider AND provider_id = p_provider_id;
  RETURN FOUND;
END $$;
