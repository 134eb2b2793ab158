-- Corrects `holdings` by a difference from the chain that reconciliation has recorded (`drifts`): surplus coins on the
-- chain or, if `p_amount` is negative, counted coins that are gone. The difference is that of this wallet or, without a
-- wallet, of any wallets. The amount is counted in full or not at all. Returns false if no such difference is recorded.
-- The caller has locked the accounts.
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
  -- Read again after the locks, because they may have been counted meanwhile.
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
