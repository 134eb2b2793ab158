-- For each payment, the wallet that pays in its asset: the wallet of the given person, else of the given wallet's
-- owner, else of the username (in lower case), else the treasury's. Old names and replaced wallets lead to their owner.
-- Returns one row per payment, in the order of the arrays. `username` is the owner's current name; `refusal` is the
-- error code if there is no wallet.
CREATE OR REPLACE FUNCTION find_funding_wallets(p_assets smallint[], p_wallets uuid[], p_usernames text[], p_people uuid[])
RETURNS TABLE (wallet_id uuid, address text, user_id uuid, username text, refusal text) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.wallet_id, w.address, o.user_id,
           CASE WHEN n.redirect_until IS NULL AND n.username IS NOT NULL THEN n.username
                ELSE (SELECT x.username FROM usernames x WHERE x.user_id = o.user_id AND x.redirect_until IS NULL) END,
           CASE WHEN w.wallet_id IS NOT NULL THEN NULL
                -- The signer has not created it yet.
                WHEN s.person IS NOT NULL THEN 'wallet.pending'
                WHEN s.wallet IS NOT NULL THEN 'wallet.unknown'
                WHEN s.username IS NOT NULL THEN 'username.unknown' ELSE 'wallet.unspecified' END
      FROM unnest(p_assets, p_wallets, p_usernames, p_people) WITH ORDINALITY AS s(asset_id, wallet, username, person, nth)
      LEFT JOIN wallets g ON g.wallet_id = s.wallet
      LEFT JOIN usernames n ON s.wallet IS NULL AND n.username = s.username
            AND (n.redirect_until IS NULL OR n.redirect_until > now())
     CROSS JOIN LATERAL (SELECT coalesce(s.person, g.user_id, n.user_id) AS user_id) o
      LEFT JOIN LATERAL (
        SELECT x.wallet_id, x.address FROM owner_wallets x WHERE x.asset_id = s.asset_id AND x.user_id = o.user_id
        UNION ALL
        SELECT x.wallet_id, x.address FROM owner_wallets x WHERE o.user_id IS NULL
           AND (s.wallet IS NULL OR g.wallet_id IS NOT NULL) AND (s.wallet IS NOT NULL OR s.username IS NULL)
           AND x.asset_id = s.asset_id AND x.kind = 'treasury'
      ) w ON true
     ORDER BY s.nth;
END $$;
