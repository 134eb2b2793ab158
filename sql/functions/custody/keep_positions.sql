-- Looks up what the ledger owes the owners of these wallets and keeps it in `holdings`. Sends that wait for coins are woken
-- if one of the wallets could help. Locks the wallets by id.
CREATE OR REPLACE FUNCTION keep_positions(p_asset smallint, p_wallets uuid[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  INSERT INTO holdings (asset_id, wallet_id)
    SELECT p_asset, o.wallet_id FROM owed_to(p_asset, p_wallets) o WHERE o.ledger <> 0 ORDER BY o.wallet_id
    ON CONFLICT DO NOTHING;
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (p_wallets) ORDER BY wallet_id FOR NO KEY UPDATE;
  -- Read after the locks, so that nobody who looked earlier writes later.
  UPDATE holdings h SET ledger = o.ledger FROM owed_to(p_asset, p_wallets) o
   WHERE h.asset_id = p_asset AND h.wallet_id = o.wallet_id AND h.ledger <> o.ledger;
  PERFORM wake_sends(p_asset, p_wallets);
END $$;
