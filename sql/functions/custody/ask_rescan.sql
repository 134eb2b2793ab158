-- Makes the worker read a wallet's final logs again, from a block to the watcher's current position. Returns false if
-- the watcher has not begun on this network or the wallet does not exist. If two rescans of the same wallet are
-- requested, the earlier block applies; the amount of unclear coins is kept unless their blocks are read again. On
-- chains that our nodes do not read, the provider's whole list is read again.
CREATE OR REPLACE FUNCTION ask_rescan(p_network smallint, p_wallet uuid, p_from bigint) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  cursor_number bigint;
BEGIN
  PERFORM require_arguments('ask_rescan', num_nulls(p_network, p_wallet) = 0 AND p_from >= 0);
  PERFORM refuse_other_operators('custody');
  IF (SELECT family <> 'evm' FROM networks WHERE network_id = p_network) THEN
    UPDATE arrival_cursors SET back_since = '2020-01-01', back_after = NULL WHERE network_id = p_network
       AND EXISTS (SELECT FROM wallets JOIN networks USING (family) WHERE wallet_id = p_wallet AND network_id = p_network);
    RETURN FOUND;
  END IF;
  -- A process that applies logs locks this row, and does not apply logs that it read before the rescan was requested.
  UPDATE chain_cursors SET wallet_checks = wallet_checks + 1 WHERE network_id = p_network
  RETURNING block_number INTO cursor_number;
  IF cursor_number IS NULL THEN RETURN false; END IF;
  INSERT INTO wallet_rescans AS r (asset_id, wallet_id, next_block, to_block)
  SELECT s.asset_id, w.wallet_id, p_from, cursor_number
    FROM assets s JOIN networks n USING (network_id) JOIN wallets w USING (family)
   WHERE s.network_id = p_network AND w.wallet_id = p_wallet
  ON CONFLICT (asset_id, wallet_id) DO UPDATE
     SET next_block = least(r.next_block, p_from), to_block = cursor_number, asked_at = clock_timestamp(),
         unclear = CASE WHEN p_from < r.next_block THEN 0 ELSE r.unclear END;
  RETURN FOUND;
END $$;
