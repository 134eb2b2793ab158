-- Writes off credited deposits that have permanently vanished from the chain: books each once, from `loss` to `chain`.
-- The worker has stored them as lost.
CREATE OR REPLACE FUNCTION write_off_deposits(p_asset smallint, p_ids uuid[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  loss  bigint;
  chain bigint;
  lost  bigint;
  id    uuid;
BEGIN
  PERFORM require_arguments('write_off_deposits',
    p_asset IS NOT NULL AND is_list(p_ids, cardinality(p_ids)) AND array_position(p_ids, NULL) IS NULL);
  loss := ledger_open_house_account(p_asset, 'loss');
  chain := ledger_open_house_account(p_asset, 'chain');
  FOREACH id IN ARRAY p_ids LOOP
    lost := (SELECT amount FROM deposits WHERE transfer_id = id AND asset_id = p_asset AND state = 'lost'
      AND EXISTS (SELECT FROM transfers_by_id(ARRAY[id]) t WHERE t.kind = 'deposit'));
    IF (SELECT outcome IN ('applied', 'duplicate')
          FROM ledger_apply(derived_id('loss:' || id), 'internal', loss, chain, lost, NULL, NULL)) IS NOT TRUE THEN
      PERFORM refuse_call('write_off_deposits');
    END IF;
  END LOOP;
END $$;
