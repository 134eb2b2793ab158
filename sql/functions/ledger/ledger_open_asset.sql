-- The number of USDC on this blockchain; assigned the first time it is asked for.
CREATE OR REPLACE FUNCTION ledger_open_asset(p_blockchain text) RETURNS smallint LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  found_id smallint;
BEGIN
  SELECT asset_id INTO found_id FROM assets WHERE blockchain = p_blockchain;
  IF found_id IS NULL THEN
    INSERT INTO assets (blockchain) VALUES (p_blockchain) ON CONFLICT (blockchain) DO NOTHING;
    SELECT asset_id INTO found_id FROM assets WHERE blockchain = p_blockchain;
  END IF;
  RETURN found_id;
END $$;
