-- Matches an open move of ours with coins that moved before this database knew of the move: the database was restored,
-- and an operator may have imported the coins meanwhile (`find_claimed`). The move becomes done and its payment
-- COMPLETE. The coins were counted when they were seen, so they do not move again.
--
--   not imported           the payment pays for them; if they went to a wallet of ours, its owner is credited
--   as a payment or loss   the payment pays for them, and what the import took is given back
--   as a settlement        it was not a settlement: handled as if they had not been imported
--
-- Returns the payment or settlement that is done; NULL if there is nothing to claim, or the coins went to a wallet that
-- was registered since and is still being read. The caller has locked the cursor of the network.
CREATE OR REPLACE FUNCTION claim_unexplained(p_move uuid) RETURNS uuid LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  m        coin_moves;
  u        unexplained_moves;
  chain    bigint;
  receiver bigint;
  given    uuid;
BEGIN
  PERFORM require_arguments('claim_unexplained', p_move IS NOT NULL);
  PERFORM FROM payments WHERE payment_id = p_move FOR NO KEY UPDATE;
  SELECT * INTO m FROM coin_moves WHERE move_id = p_move;
  u := find_claimed(m);
  IF u.tx_hash IS NULL THEN RETURN NULL; END IF;
  -- An operator may be importing it at this moment.
  PERFORM FROM unexplained_moves o
    WHERE (o.asset_id, o.tx_hash, o.log_index) = (u.asset_id, u.tx_hash, u.log_index) FOR UPDATE;
  u := find_claimed(m);
  IF u.tx_hash IS NULL OR u.to_wallet IS NULL AND EXISTS (
    SELECT FROM wallets w WHERE w.family = 'evm' AND lower(w.address) = lower(u.to_address)
       AND NOT is_credited_transfer(u.asset_id, u.tx_hash, u.log_index, u.amount, w.wallet_id)) THEN
    RETURN NULL;
  END IF;
  -- No one paid by a settlement. What an operator has imported as a payment stays a payment.
  IF m.purpose = 'settlement' AND EXISTS (SELECT FROM payments WHERE payment_id = u.imported_as) THEN RETURN NULL; END IF;

  chain := ledger_open_house_account(m.asset_id, 'chain');
  receiver := ledger_account_of_wallet(m.asset_id, u.to_wallet);
  PERFORM ledger_lock_accounts(ARRAY[chain, ledger_open_house_account(m.asset_id, 'loss'),
    ledger_account_of_wallet(m.asset_id, m.wallet_id)] || receiver);
  PERFORM end_claimed(p_move, u);
  IF m.purpose = 'send' THEN
    PERFORM post_holds(ARRAY[p_move]);
    PERFORM payments_advance(ARRAY[p_move], ARRAY['COMPLETE'], ARRAY[u.tx_hash], NULL, NULL);
    given := give_back_import(u);
    IF given IS NULL AND receiver IS NOT NULL THEN PERFORM credit_import(u, chain, receiver); END IF;
  END IF;
  PERFORM explain_claimed(u, p_move, given);
  RETURN p_move;
END $$;
