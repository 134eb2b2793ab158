-- Only for processes of release 0.2.0; `ledger_open_token` replaces it. Remove it in the release after 0.3.0.
CREATE OR REPLACE FUNCTION ledger_open_asset(p_blockchain text, p_symbol text DEFAULT 'USDC') RETURNS smallint
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ledger_open_token(p_blockchain, p_symbol)
$$;
