-- The address format of a blockchain, by its name. Keep in step with `familyOf` in server/src/core/families.ts.
CREATE OR REPLACE FUNCTION blockchain_family(p_blockchain text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_blockchain IN ('SOL', 'SOL-DEVNET') THEN 'solana'
              WHEN p_blockchain IN ('APTOS', 'APTOS-TESTNET') THEN 'aptos' ELSE 'evm' END
$$;
