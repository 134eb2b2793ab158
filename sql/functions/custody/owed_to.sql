-- The amounts that the ledger owes the owners of these wallets now. The debt counts for an owner's current wallet, so
-- nothing is owed to an old one. The treasury's wallet covers the service's own accounts. `wallet_positions` computes
-- the same for all wallets.
CREATE OR REPLACE FUNCTION owed_to(p_asset smallint, p_wallets uuid[]) RETURNS TABLE (wallet_id uuid, ledger bigint)
  LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $$
  SELECT i.id,
         coalesce(CASE o.kind WHEN 'user' THEN (
             SELECT a.available + a.held FROM accounts a WHERE a.user_id = o.user_id AND a.asset_id = p_asset)
           WHEN 'treasury' THEN (
             SELECT sum(a.available + a.held)::bigint FROM accounts a
              WHERE a.kind IN ('treasury', 'fees', 'loss') AND a.asset_id = p_asset AND a.user_id IS NULL) END, 0)
    FROM unnest(p_wallets) AS i(id) LEFT JOIN owner_wallets o ON o.asset_id = p_asset AND o.wallet_id = i.id
$$;
