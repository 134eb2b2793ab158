-- Recounts the open settlements of every wallet while no move can change. The trigger `move_reservation` maintains the
-- counts; this covers the time before the trigger existed.
CREATE OR REPLACE FUNCTION recount_settlements() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('recount_settlements', true);
  LOCK TABLE coin_moves IN SHARE MODE;
  UPDATE holdings h SET incoming = coalesce(m.incoming, 0), outgoing = coalesce(m.outgoing, 0)
    FROM holdings k LEFT JOIN (
      SELECT asset_id, wallet_id, sum(incoming)::bigint AS incoming, sum(outgoing)::bigint AS outgoing FROM (
        SELECT asset_id, wallet_id, 0 AS incoming, amount AS outgoing FROM coin_moves
         WHERE state = 'open' AND purpose = 'settlement'
        UNION ALL
        SELECT asset_id, to_wallet, amount, 0 FROM coin_moves WHERE state = 'open' AND purpose = 'settlement') o
       GROUP BY asset_id, wallet_id) m USING (asset_id, wallet_id)
   WHERE h.asset_id = k.asset_id AND h.wallet_id = k.wallet_id
     AND (h.incoming, h.outgoing) IS DISTINCT FROM (coalesce(m.incoming, 0), coalesce(m.outgoing, 0));
END $$;
