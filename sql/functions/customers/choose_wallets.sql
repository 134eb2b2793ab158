-- Binds the database to its seed, and people's wallets to the provider that holds their keys: `p_provider`, except on
-- the networks of `p_networks` ({"BASE": "circle_send"}). Returns what does not match, `seed`, `provider` or `set`, or
-- NULL on success. Existing wallets stay where they are. Once there are any, a change of provider is accepted only if
-- `p_from` names the previous one; then everyone gets a new wallet, and settlement moves the coins. The wallet set at
-- Circle never changes once it has wallets.
CREATE OR REPLACE FUNCTION choose_wallets(
  p_fingerprint text, p_provider text, p_set text, p_networks jsonb, p_from text
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  bound wallet_seeds;
  is_used boolean;
BEGIN
  PERFORM require_arguments('choose_wallets', num_nulls(p_fingerprint, p_provider) = 0 AND jsonb_typeof(p_networks) = 'object');
  INSERT INTO wallet_seeds (fingerprint, wallet_provider, wallet_set, network_wallets)
  VALUES (p_fingerprint, p_provider, p_set, p_networks) ON CONFLICT DO NOTHING;
  SELECT * INTO bound FROM wallet_seeds FOR UPDATE;
  IF bound.fingerprint <> p_fingerprint THEN RETURN 'seed'; END IF;
  is_used := EXISTS (SELECT FROM wallets WHERE kind <> 'treasury') OR EXISTS (SELECT FROM holdings WHERE coins > 0);
  IF bound.wallet_set <> p_set AND EXISTS (SELECT FROM wallets WHERE provider LIKE 'circle%') THEN RETURN 'set'; END IF;
  IF is_used AND (bound.wallet_provider NOT IN (p_provider, coalesce(p_from, p_provider))
      OR EXISTS (SELECT FROM networks n WHERE n.wallet_provider NOT IN (
                   coalesce(p_networks ->> n.blockchain, p_provider),
                   coalesce(p_from, p_networks ->> n.blockchain, p_provider)))) THEN
    RETURN 'provider';
  END IF;
  IF (bound.wallet_provider, bound.network_wallets) <> (p_provider, p_networks)
    OR (p_set IS NOT NULL AND bound.wallet_set IS DISTINCT FROM p_set) THEN
    UPDATE wallet_seeds SET wallet_provider = p_provider, wallet_set = coalesce(p_set, wallet_set),
           network_wallets = p_networks;
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
