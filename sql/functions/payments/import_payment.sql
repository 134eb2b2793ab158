-- Records a payment that happened on chain and that this database does not know (`unexplained_moves`): held, paid and
-- COMPLETE in one commit, also during a pause. `p_post` is the id of the movement that pays it. Returns the outcome of
-- the hold (see `ledger_move`) and the id of the payment, which is an older one if the move was imported before.
CREATE OR REPLACE FUNCTION import_payment(
  p_id uuid, p_post uuid, p_asset smallint, p_tx_hash text, p_log_index integer,
  OUT outcome text, OUT details jsonb, OUT payment_id uuid
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  m      unexplained_moves;
  w      wallets;
  debit  bigint;
  credit bigint;
BEGIN
  SELECT * INTO m FROM unexplained_moves
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index FOR UPDATE;
  payment_id := coalesce(m.imported_as, p_id);
  IF m.imported_as IS NOT NULL THEN outcome := 'applied'; RETURN; END IF;
  SELECT * INTO w FROM wallets WHERE wallet_id = m.wallet_id;
  IF w.user_id IS NULL THEN
    debit := ledger_open_house_account(p_asset, 'treasury');
  ELSE
    PERFORM ledger_open_user_accounts(p_asset, ARRAY[w.user_id]);
    SELECT account_id INTO debit FROM accounts WHERE user_id = w.user_id AND asset_id = p_asset;
  END IF;
  credit := ledger_open_house_account(p_asset, 'chain');
  SELECT l.outcome, l.details INTO outcome, details FROM ledger_move(p_id, 'hold', debit, credit, m.amount, NULL, NULL) l;
  IF outcome <> 'applied' THEN RETURN; END IF;

  INSERT INTO payments (payment_id, state, destination, tx_hash, wallet_id, sender_shown)
  VALUES (p_id, 'CONFIRMED', m.to_address, p_tx_hash, m.wallet_id, 'wallet');
  PERFORM explain_move(m, p_id);
  PERFORM ledger_move(p_post, 'post', debit, credit, m.amount, p_id, NULL);
  PERFORM payments_advance(ARRAY[p_id], ARRAY['COMPLETE'], ARRAY[p_tx_hash], NULL, NULL);
END $$;
