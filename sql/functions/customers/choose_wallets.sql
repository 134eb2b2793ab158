-- Binds the database to its seed, and people's wallets to the provider that holds their keys: `p_provider`, except on
-- the networks of `p_networks` ({"BASE": "circle_send"}). Returns what does not match, `seed`, `rail`,
-- `provider` or `account`, or NULL on success. `p_rails` registers the providers of this build; a registered one keeps its
-- rail. Existing wallets stay where they are. Once there are any, a change of provider is accepted only if `p_from` names
-- the previous one; then everyone gets a new wallet, and settlement moves the coins. The account at a provider
-- (`p_accounts`) never changes once it has wallets.
CREATE OR REPLACE FUNCTION choose_wallets(
  p_fingerprint text, p_provider text, p_accounts jsonb, p_networks jsonb, p_from text, p_rails jsonb
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  bound wallet_seeds;
  is_used boolean;
BEGIN
  PERFORM require_arguments('choose_wallets', num_nulls(p_fingerprint, p_provider) = 0
    AND jsonb_typeof(p_accounts) = 'object' AND jsonb_typeof(p_networks) = 'object' AND jsonb_typeof(p_rails) = 'object');
  INSERT INTO wallet_providers (provider, rail) SELECT key, value FROM jsonb_each_text(p_rails) ON CONFLICT DO NOTHING;
  IF EXISTS (SELECT FROM jsonb_each_text(p_rails) r JOIN wallet_providers p ON p.provider = r.key WHERE p.rail <> r.value)
    OR EXISTS (SELECT FROM (SELECT p_provider AS name UNION SELECT value FROM jsonb_each_text(p_networks)) u
                WHERE NOT EXISTS (SELECT FROM wallet_providers p WHERE p.provider = u.name)) THEN
    RETURN 'rail';
  END IF;
  INSERT INTO wallet_seeds (fingerprint, wallet_provider, accounts, network_wallets)
  VALUES (p_fingerprint, p_provider, p_accounts, p_networks) ON CONFLICT DO NOTHING;
  SELECT * INTO bound FROM wallet_seeds FOR UPDATE;
  IF bound.fingerprint <> p_fingerprint THEN RETURN 'seed'; END IF;
  is_used := EXISTS (SELECT FROM wallets WHERE kind <> 'treasury') OR EXISTS (SELECT FROM holdings WHERE coins > 0);
  IF EXISTS (SELECT FROM jsonb_each_text(p_accounts) a JOIN wallets w ON w.provider = a.key
              WHERE bound.accounts ->> a.key <> a.value) THEN
    RETURN 'account';
  END IF;
  IF is_used AND (bound.wallet_provider NOT IN (p_provider, coalesce(p_from, p_provider))
      OR EXISTS (SELECT FROM networks n WHERE n.wallet_provider NOT IN (
                   coalesce(p_networks ->> n.blockchain, p_provider),
                   coalesce(p_from, p_networks ->> n.blockchain, p_provider)))) THEN
    RETURN 'provider';
  END IF;
  IF (bound.wallet_provider, bound.network_wallets) <> (p_provider, p_networks)
    OR bound.accounts || p_accounts <> bound.accounts THEN
    UPDATE wallet_seeds SET wallet_provider = p_provider, accounts = accounts || p_accounts, network_wallets = p_networks;
    PERFORM schedule_job('wallet', u.user_id::text, now()) FROM users u
     WHERE EXISTS (SELECT FROM (SELECT p_provider AS name, 'evm' AS family
                                 UNION SELECT value, blockchain_family(key) FROM jsonb_each_text(p_networks)) p
                    WHERE (u.user_id, p.name, p.family) NOT IN (
                      SELECT w.user_id, w.provider, w.family FROM wallets w
                       WHERE w.user_id IS NOT NULL AND w.replaced_at IS NULL));
  END IF;
  PERFORM ledger_use_wallets(p_provider, p_networks);
  RETURN NULL;
END $$;
