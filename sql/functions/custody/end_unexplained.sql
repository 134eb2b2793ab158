-- Links an unexplained move to its explanation: the payment or settlement with this id. The pause ends with the last
-- unexplained move on its network. On chains that our nodes do not read, reconciliation may have reported the same
-- coins as missing before the provider reported the transfer. That pause ends too if nothing else is missing.
CREATE OR REPLACE FUNCTION end_unexplained(p_move unexplained_moves, p_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE unexplained_moves SET imported_as = p_id
   WHERE asset_id = p_move.asset_id AND tx_hash = p_move.tx_hash AND log_index = p_move.log_index;
  PERFORM resume_payments('chain:' || n.blockchain, 'unexplained')
     FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_move.asset_id AND NOT EXISTS (SELECT FROM unexplained_moves o JOIN assets USING (asset_id)
      WHERE assets.network_id = n.network_id AND o.imported_as IS NULL);
  PERFORM resume_payments('chain:' || n.blockchain, 'drift')
     FROM assets s JOIN networks n USING (network_id)
    WHERE s.asset_id = p_move.asset_id AND n.family <> 'evm' AND NOT EXISTS (SELECT FROM drifts d JOIN assets USING (asset_id)
      WHERE assets.network_id = n.network_id AND d.difference < 0);
END $$;
