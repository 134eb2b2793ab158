-- Records a payment that happened on the chain and that this database does not know (`unexplained_moves`): held, paid
-- and COMPLETE in one commit. It cannot be refused, because no limit, pause or missing identity check undoes what the
-- chain has done. If the sender's balance is too low, `loss` pays the rest and it becomes a debt. If the coins went to
-- a wallet of ours, its owner is credited in the same commit. `p_post` is the id of the movement that pays it.
--
-- Outcomes: `applied`, with the payment's id (the earlier id if the move was imported before) and what the sender owes
-- in `details`; `settlement`: it was a settlement to a wallet that is not registered yet, so no one paid anything;
-- `waits`: it went to a wallet that was registered since and is still being read; `unknown`: there is no such move.
CREATE OR REPLACE FUNCTION import_payment(
  p_id uuid, p_post uuid, p_asset smallint, p_tx_hash text, p_log_index integer,
  OUT outcome text, OUT details jsonb, OUT payment_id uuid
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  m        unexplained_moves;
  chain    bigint;
  loss     bigint;
  sender   bigint;
  receiver bigint;
  missing  bigint;
BEGIN
  PERFORM require_arguments('import_payment', num_nulls(p_id, p_post, p_asset, p_tx_hash, p_log_index) = 0);
  PERFORM refuse_other_operators('custody');
  chain := ledger_open_house_account(p_asset, 'chain');
  loss := ledger_open_house_account(p_asset, 'loss');
  SELECT * INTO m FROM unexplained_moves
   WHERE asset_id = p_asset AND tx_hash = p_tx_hash AND log_index = p_log_index FOR UPDATE;
  IF NOT FOUND THEN outcome := 'unknown'; RETURN; END IF;
  payment_id := coalesce(m.imported_as, p_id);
  IF m.imported_as IS NOT NULL THEN outcome := 'applied'; RETURN; END IF;
  IF is_forgotten_settlement(m) THEN
    outcome := 'settlement';
    RETURN;
  END IF;
  IF m.to_wallet IS NULL AND EXISTS (
    SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(m.to_address)
       AND NOT is_credited_transfer(p_asset, p_tx_hash, p_log_index, m.amount, w.wallet_id)) THEN
    outcome := 'waits';
    RETURN;
  END IF;
  sender := ledger_account_of_wallet(p_asset, m.wallet_id);
  receiver := ledger_account_of_wallet(p_asset, m.to_wallet);
  PERFORM ledger_lock_accounts(ARRAY[sender, chain, loss] || receiver);

  missing := ledger_cover_debt(p_id, sender, m.amount);
  IF missing > 0 THEN details := jsonb_build_object('owes', missing::text); END IF;
  outcome := ledger_hold_paid(p_id, sender, chain, m.amount);
  IF outcome <> 'applied' THEN
    RAISE EXCEPTION 'payment % is known already and is not this move', p_id USING ERRCODE = 'unique_violation';
  END IF;
  INSERT INTO payments (payment_id, state, destination, tx_hash, wallet_id, sender_shown, amount)
  VALUES (p_id, 'CONFIRMED', m.to_address, p_tx_hash, m.wallet_id, 'wallet', m.amount);
  PERFORM explain_move(m, p_id);
  PERFORM ledger_apply(p_post, 'post', sender, chain, m.amount, p_id, NULL);
  PERFORM payments_advance(ARRAY[p_id], ARRAY['COMPLETE'], ARRAY[p_tx_hash], NULL, NULL);
  IF receiver IS NOT NULL THEN PERFORM credit_import(m, chain, receiver); END IF;
END $$;
