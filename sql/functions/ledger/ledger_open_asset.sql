-- The number of a token on a network; assigned the first time it is asked for.
CREATE OR REPLACE FUNCTION ledger_open_asset(p_blockchain text, p_symbol text DEFAULT 'USDC') RETURNS smallint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
  RETURN asset;
END $$;
