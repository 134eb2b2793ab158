-- Sets the asset that people pay each other with (see `ledger_state`), once. Spending is counted in this asset, so
-- another one would reset everyone's limits.
CREATE OR REPLACE FUNCTION ledger_set_home_asset(p_asset smallint) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_set_home_asset', p_asset IS NOT NULL);
  UPDATE ledger_state SET home_asset = p_asset WHERE home_asset IS NULL;
END $$;
