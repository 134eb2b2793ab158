-- From now on, owners' coins are kept in wallets of `p_provider`, except on the networks of `p_networks`.
-- `choose_wallets` calls this after it has checked the change. It waits for a network that is being opened at the same
-- time; networks opened later read the new setting.
CREATE OR REPLACE FUNCTION ledger_use_wallets(p_provider text, p_networks jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  LOCK TABLE networks IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM networks WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider)) THEN
    UPDATE networks SET wallet_provider = coalesce(p_networks ->> blockchain, p_provider)
     WHERE wallet_provider <> coalesce(p_networks ->> blockchain, p_provider);
  END IF;
END $$;
