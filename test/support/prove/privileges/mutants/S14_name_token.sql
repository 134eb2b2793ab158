-- S14: every operator fixes a new chain's token.
CREATE OR REPLACE FUNCTION ledger_name_token(p_asset smallint, p_name text) RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE assets SET token_name = p_name WHERE asset_id = p_asset AND token_name IS NULL
$$;
CREATE OR REPLACE FUNCTION ledger_describe_asset(p_asset smallint, p_chain_id bigint, p_contract text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE networks n SET chain_id = p_chain_id FROM assets s
   WHERE s.asset_id = p_asset AND n.network_id = s.network_id AND n.chain_id IS NULL;
  UPDATE assets SET contract = p_contract WHERE asset_id = p_asset AND contract IS NULL;
END $$;
GRANT EXECUTE ON FUNCTION ledger_name_token, ledger_describe_asset TO {operator};
