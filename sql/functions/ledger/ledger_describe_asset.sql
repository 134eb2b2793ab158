-- Stores a network's chain id and a token's contract on the first call. They never change afterwards.
CREATE OR REPLACE FUNCTION ledger_describe_asset(p_asset smallint, p_chain_id bigint, p_contract text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('ledger_describe_asset', num_nulls(p_asset, p_contract) = 0 AND coalesce(p_chain_id, 1) > 0);
  PERFORM refuse_other_operators('custody');
  UPDATE networks n SET chain_id = p_chain_id FROM assets s
   WHERE s.asset_id = p_asset AND n.network_id = s.network_id AND n.chain_id IS NULL;
  UPDATE assets SET contract = p_contract WHERE asset_id = p_asset AND contract IS NULL;
END $$;
