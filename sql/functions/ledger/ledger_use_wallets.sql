-- From now on owners' coins sit in wallets of these providers: `p_provider`, except on the networks of `p_networks`. Called by
-- `choose_wallets`, which has decided that they may. A network that is being opened meanwhile is waited for, and reads
-- later what was decided.
CREATE OR REPLACE FUNCTION ledger_use_wallets(p_provider text, p_networks jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  LOCK TABLE networks IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM networks WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider)) THEN
    UPDATE networks SET wallet_provider = coalesce(p_networks ->> blockchain, p_provider)
     WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider);
  END IF;
END $$;
