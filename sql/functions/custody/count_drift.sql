-- Counts a difference between coins and chain that reconciliation has recorded (`drifts`): coins that the chain has beyond what
-- was counted or, below zero, coins that are counted and gone. Those of this wallet or, without one, of any. All of the amount
-- or nothing. False: no such difference is recorded. The accounts are locked by the caller.
CREATE OR REPLACE FUNCTION count_drift(p_asset smallint, p_wallet uuid, p_amount bigint) RETURNS boolean
  LANGUAGE plpgsql AS $$
DECLARE
  rest    bigint := p_amount;
  part    bigint;
  one     record;
  wallets uuid[] := ARRAY (
    SELECT substr(d.subject, 8)::uuid FROM drifts d
     WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount) AND d.looks >= 2
       AND CASE WHEN p_wallet IS NULL THEN d.subject LIKE 'wallet %' ELSE d.subject = 'wallet ' || p_wallet END
     ORDER BY d.subject);
BEGIN
  IF wallets = '{}' THEN RETURN false; END IF;
  INSERT INTO holdings (asset_id, wallet_id) SELECT p_asset, id FROM unnest(wallets) AS w(id) ON CONFLICT DO NOTHING;
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id = ANY (wallets) ORDER BY wallet_id FOR NO KEY UPDATE;
  -- Read again after the locks: somebody may have counted them meanwhile.
  PERFORM FROM drifts d WHERE d.asset_id = p_asset AND d.subject = ANY (SELECT 'wallet ' || w.id FROM unnest(wallets) AS w(id))
    ORDER BY d.subject FOR UPDATE;
  IF (SELECT coalesce(abs(sum(d.difference)), 0) FROM drifts d JOIN unnest(wallets) AS w(id) ON d.subject = 'wallet ' || w.id
       WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount)) < abs(p_amount) THEN
    RETURN false;
  END IF;
  FOR one IN
    SELECT d.subject, d.difference::bigint AS difference, w.id FROM drifts d JOIN unnest(wallets) AS w(id) ON d.subject = 'wallet ' || w.id
     WHERE d.asset_id = p_asset AND sign(d.difference) = sign(p_amount) ORDER BY w.id
  LOOP
    EXIT WHEN rest = 0;
    part := CASE WHEN p_amount > 0 THEN least(rest, one.difference) ELSE greatest(rest, one.difference) END;
    PERFORM give_way(p_asset, one.id, -part);
    UPDATE holdings SET coins = coins + part WHERE asset_id = p_asset AND wallet_id = one.id;
    UPDATE drifts SET difference = difference - part WHERE asset_id = p_asset AND subject = one.subject;
    rest := rest - part;
  END LOOP;
  DELETE FROM drifts WHERE asset_id = p_asset AND difference = 0;
  PERFORM wake_sends(p_asset, wallets);
  RETURN true;
END $$;
