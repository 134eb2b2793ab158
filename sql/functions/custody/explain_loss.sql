-- Books coins that an unexplained move took away as the service's loss, from `loss` to `chain`. Returns false if there
-- is no such move, it already has an explanation, or it went to a wallet of ours, so that nothing is lost.
CREATE OR REPLACE FUNCTION explain_loss(p_asset smallint, p_tx_hash text, p_log_index integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  m     unexplained_moves;
  loss  bigint;
  chain bigint;
  id    uuid := gen_random_uuid();
BEGIN
  PERFORM require_arguments('explain_loss', num_nulls(p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  chain := ledger_open_house_account(p_asset, 'chain');
  loss := ledger_open_house_account(p_asset, 'loss');
  SELECT * INTO m FROM unexplained_moves WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index
     AND imported_as IS NULL AND to_wallet IS NULL FOR UPDATE;
  IF NOT FOUND OR is_forgotten_settlement(m) THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[loss, chain]);
  PERFORM ledger_apply(id, 'internal', loss, chain, m.amount, NULL, NULL);
  PERFORM end_unexplained(m, id);
  RETURN true;
END $$;
