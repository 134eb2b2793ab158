-- Reduces reservations that are no longer covered because coins leave a wallet without a move. The newest are reduced
-- first; they are topped up again before they are started. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION give_way(p_asset smallint, p_wallet uuid, p_leaving bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lacking bigint := (SELECT h.reserved - (h.coins - p_leaving) FROM holdings h WHERE h.asset_id = p_asset AND h.wallet_id = p_wallet);
  one     record;
BEGIN
  FOR one IN
    SELECT m.move_id, m.reserved FROM coin_moves m
     WHERE m.asset_id = p_asset AND m.wallet_id = p_wallet AND m.state = 'open' AND m.reserved > 0 ORDER BY m.created_at DESC
  LOOP
    EXIT WHEN lacking <= 0;
    UPDATE coin_moves SET reserved = reserved - least(one.reserved, lacking) WHERE move_id = one.move_id;
    lacking := lacking - least(one.reserved, lacking);
  END LOOP;
END $$;
