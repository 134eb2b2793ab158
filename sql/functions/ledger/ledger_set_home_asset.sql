-- Sets the asset that people pay each other with (see `ledger_state`), once: what people spend is counted in it, so another
-- one would give everybody their limits anew.
CREATE OR REPLACE FUNCTION ledger_set_home_asset(p_asset smallint) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_set_home_asset', p_asset IS NOT NULL);
  UPDATE ledger_state SET home_asset = p_asset WHERE home_asset IS NULL;
END $$;
