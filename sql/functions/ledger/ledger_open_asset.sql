-- The id of a token on a network. The first call creates it. Operators may create one only if they manage custody.
CREATE OR REPLACE FUNCTION ledger_open_asset(p_blockchain text, p_symbol text DEFAULT 'USDC') RETURNS smallint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  network smallint;
  asset   smallint;
BEGIN
  PERFORM require_arguments('ledger_open_asset', num_nulls(p_blockchain, p_symbol) = 0);
  -- Checked first, because an insert with a conflict still uses up an id, and a smallint has few.
  IF NOT EXISTS (SELECT FROM networks WHERE blockchain = p_blockchain) THEN
    PERFORM refuse_other_operators('custody');
    -- Taken before the provider is read, because `ledger_use_wallets` may be changing it.
    LOCK TABLE networks IN ROW EXCLUSIVE MODE;
    INSERT INTO networks (blockchain, family, wallet_provider)
    VALUES (p_blockchain, blockchain_family(p_blockchain), coalesce((SELECT coalesce(network_wallets ->> p_blockchain, wallet_provider) FROM wallet_seeds), 'local'))
    ON CONFLICT (blockchain) DO NOTHING;
  END IF;
  SELECT network_id INTO network FROM networks WHERE blockchain = p_blockchain;
  IF NOT EXISTS (SELECT FROM assets WHERE network_id = network AND symbol = p_symbol) THEN
    PERFORM refuse_other_operators('custody');
    INSERT INTO assets (network_id, symbol) VALUES (network, p_symbol) ON CONFLICT (network_id, symbol) DO NOTHING;
  END IF;
  SELECT asset_id INTO asset FROM assets WHERE network_id = network AND symbol = p_symbol;
  RETURN asset;
END $$;
