-- What people pay each other with (see `ledger_state`).
CREATE OR REPLACE FUNCTION ledger_set_home_asset(p_asset smallint) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE ledger_state SET home_asset = p_asset WHERE home_asset IS DISTINCT FROM p_asset;
$$;
