-- The number of a token on a network; assigned the first time it is asked for. What is told about them (chain id,
-- contract) is kept when nothing was known before, and never changed.
CREATE OR REPLACE FUNCTION ledger_open_asset(
  p_blockchain text, p_symbol text DEFAULT 'USDC', p_chain_id bigint DEFAULT NULL, p_contract text DEFAULT NULL
) RETURNS smallint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  network smallint;
  asset   smallint;
BEGIN
  -- Looked for first: an insertion that meets a conflict still uses up a number, and there are few.
  IF NOT EXISTS (SELECT FROM networks WHERE blockchain = p_blockchain) THEN
    INSERT INTO networks (blockchain) VALUES (p_blockchain) ON CONFLICT (blockchain) DO NOTHING;
  END IF;
  SELECT network_id INTO network FROM networks WHERE blockchain = p_blockchain;
  IF NOT EXISTS (SELECT FROM assets WHERE network_id = network AND symbol = p_symbol) THEN
    INSERT INTO assets (network_id, symbol) VALUES (network, p_symbol) ON CONFLICT (network_id, symbol) DO NOTHING;
  END IF;
  SELECT asset_id INTO asset FROM assets WHERE network_id = network AND symbol = p_symbol;
  UPDATE networks SET chain_id = p_chain_id WHERE network_id = network AND chain_id IS NULL AND p_chain_id IS NOT NULL;
  UPDATE assets SET contract = p_contract WHERE asset_id = asset AND contract IS NULL AND p_contract IS NOT NULL;
  RETURN asset;
END $$;
