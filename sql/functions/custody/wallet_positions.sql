-- Per wallet: what the ledger owes its owner, where the coins are, and open settlements. The debt counts for an owner's
-- current wallet, so coins in an old wallet are surplus there. The treasury's wallet covers the service's own accounts.
CREATE OR REPLACE FUNCTION wallet_positions(p_asset smallint)
  RETURNS TABLE (wallet_id uuid, ledger bigint, coins bigint, reserved bigint, incoming bigint, outgoing bigint)
  LANGUAGE sql STABLE AS $$
  WITH parts AS (
    SELECT w.wallet_id, a.available + a.held AS ledger, 0::bigint AS coins, 0::bigint AS reserved,
           0::bigint AS incoming, 0::bigint AS outgoing
      FROM accounts a JOIN owner_wallets w USING (asset_id, user_id) WHERE a.asset_id = p_asset
    UNION ALL
    SELECT w.wallet_id, a.available + a.held, 0, 0, 0, 0
      FROM accounts a JOIN owner_wallets w USING (asset_id)
     WHERE a.asset_id = p_asset AND w.kind = 'treasury' AND a.kind IN ('treasury', 'fees', 'loss')
    UNION ALL
    SELECT h.wallet_id, 0, h.coins, h.reserved, 0, 0 FROM holdings h WHERE h.asset_id = p_asset
    UNION ALL
    SELECT o.wallet_id, 0, 0, 0, 0, o.amount FROM coin_moves o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
    UNION ALL
    SELECT o.to_wallet, 0, 0, 0, o.amount, 0 FROM coin_moves o
     WHERE o.asset_id = p_asset AND o.state = 'open' AND o.purpose = 'settlement'
  )
  SELECT p.wallet_id, sum(p.ledger)::bigint, sum(p.coins)::bigint, sum(p.reserved)::bigint,
         sum(p.incoming)::bigint, sum(p.outgoing)::bigint
    FROM parts p GROUP BY p.wallet_id
$$;
