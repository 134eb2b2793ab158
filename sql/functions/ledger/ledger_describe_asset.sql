-- Keeps what a network's nodes say about it and about the contract of a token, the first time. It is never changed.
CREATE OR REPLACE FUNCTION ledger_describe_asset(p_asset smallint, p_chain_id bigint, p_contract text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE networks n SET chain_id = p_chain_id FROM assets s
   WHERE s.asset_id = p_asset AND n.network_id = s.network_id AND n.chain_id IS NULL;
  UPDATE assets SET contract = p_contract WHERE asset_id = p_asset AND contract IS NULL;
END $$;
