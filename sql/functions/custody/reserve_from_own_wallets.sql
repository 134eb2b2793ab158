-- Reserves the coins of many sends whose own wallets have enough, and returns which. The others need coins from other
-- wallets (`reserveSend.ts`). `p_rails` maps each wallet provider to its rail: {"local": "eip3009"}. The caller has
-- locked the payments; wallets are locked here, in the order of their ids.
CREATE OR REPLACE FUNCTION reserve_from_own_wallets(p_asset smallint, p_ids uuid[], p_rails jsonb) RETURNS uuid[]
  LANGUAGE plpgsql AS $$
DECLARE
  reserved_ids uuid[] := '{}';
  one          record;
BEGIN
  PERFORM FROM holdings WHERE asset_id = p_asset AND wallet_id IN (
    SELECT wallet_id FROM payments WHERE payment_id = ANY (p_ids)) ORDER BY wallet_id FOR NO KEY UPDATE;
  FOR one IN
    SELECT p.payment_id, p.wallet_id, p.destination, coalesce(p.amount, t.amount) AS amount, w.address, p_rails ->> w.provider AS rail
      FROM unnest(p_ids) WITH ORDINALITY AS i(id, nth)
      JOIN payments p ON p.payment_id = i.id JOIN transfers t ON t.transfer_id = i.id AND t.kind = 'hold'
      JOIN wallets w ON w.wallet_id = p.wallet_id
     WHERE t.asset_id = p_asset AND p_rails ? w.provider
       AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = i.id)
     ORDER BY i.nth
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM holdings
      WHERE asset_id = p_asset AND wallet_id = one.wallet_id AND coins - reserved >= one.amount);
    INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
    VALUES (one.payment_id, p_asset, one.wallet_id, 'send', one.rail, one.address, one.destination, one.amount,
      one.amount);
    reserved_ids := reserved_ids || one.payment_id;
  END LOOP;
  RETURN reserved_ids;
END $$;
