-- The id of the token of a currency on a network. The first call creates it. Operators may create one only if they
-- manage custody.
CREATE OR REPLACE FUNCTION ledger_open_token(p_blockchain text, p_currency text) RETURNS smallint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  network smallint;
  asset   smallint;
BEGIN
  PERFORM require_arguments('ledger_open_token', p_blockchain IS NOT NULL
    AND EXISTS (SELECT FROM currencies WHERE currency = p_currency));
  -- Checked first, because an insert with a conflict still uses up an id, and a smallint has few.
  IF NOT EXISTS (SELECT FROM networks WHERE blockchain = p_blockchain) THEN
    PERFORM refuse_other_operators('custody');
    -- Taken before the provider is read, because `ledger_use_wallets` may be changing it.
    LOCK TABLE networks IN ROW EXCLUSIVE MODE;
    INSERT INTO networks (blockchain, family, wallet_provider)
    VALUES (p_blockchain, blockchain_family(p_blockchain),
            coalesce((SELECT coalesce(network_wallets ->> p_blockchain, wallet_provider) FROM wallet_seeds), 'local'))
    ON CONFLICT (blockchain) DO NOTHING;
  END IF;
  SELECT network_id INTO network FROM networks WHERE blockchain = p_blockchain;
  IF NOT EXISTS (SELECT FROM assets WHERE network_id = network AND symbol = p_currency) THEN
    PERFORM refuse_other_operators('custody');
    INSERT INTO assets (network_id, symbol, decimals)
    SELECT network, currency, decimals FROM currencies WHERE currency = p_currency ON CONFLICT (network_id, symbol) DO NOTHING;
  END IF;
  SELECT asset_id INTO asset FROM assets WHERE network_id = network AND symbol = p_currency;
  RETURN asset;
END $$;
