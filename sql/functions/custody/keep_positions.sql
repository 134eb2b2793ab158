-- Looks up what the ledger owes the owners of these wallets and stores it in `holdings`. Wakes sends that wait for
-- coins if one of the wallets could help. Locks the wallets that have changed, in the order of their ids.
CREATE OR REPLACE FUNCTION keep_positions(p_asset smallint, p_wallets uuid[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  changed uuid[];
BEGIN
  PERFORM require_arguments('keep_positions',
    p_asset IS NOT NULL AND is_list(p_wallets, cardinality(p_wallets)) AND array_position(p_wallets, NULL) IS NULL);
  SELECT array_agg(o.wallet_id) INTO changed
    FROM owed_to(p_asset, p_wallets) o LEFT JOIN holdings h ON h.asset_id = p_asset AND h.wallet_id = o.wallet_id
   WHERE o.ledger <> coalesce(h.ledger, 0);
  IF changed IS NOT NULL THEN
    INSERT INTO holdings (asset_id, wallet_id) SELECT p_asset, c.id FROM unnest(changed) AS c(id)
     WHERE NOT EXISTS (SELECT FROM holdings h WHERE h.asset_id = p_asset AND h.wallet_id = c.id) ORDER BY c.id
      ON CONFLICT DO NOTHING;
    PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (changed) ORDER BY wallet_id FOR NO KEY UPDATE;
    -- Read again after the locks, so that a process with older values does not overwrite newer ones.
    UPDATE holdings h SET ledger = o.ledger FROM owed_to(p_asset, changed) o
     WHERE h.asset_id = p_asset AND h.wallet_id = o.wallet_id AND h.ledger <> o.ledger;
  END IF;
  PERFORM wake_sends(p_asset, p_wallets);
END $$;
