-- An operator had imported these coins as a separate payment or as a loss, and now the payment that they belong to is
-- known. That payment pays for them. This function gives back what the import took and settles what its sender still
-- owes for it. The caller has locked the accounts. Returns the movement; NULL if the import took nothing.
CREATE OR REPLACE FUNCTION give_back_import(p_move unexplained_moves) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  paid  transfers;
  given uuid := derived_id('given back:' || p_move.imported_as);
BEGIN
  SELECT t.* INTO paid FROM payments p JOIN transfers t ON t.hold_id = p.payment_id AND t.kind = 'post'
   WHERE p.payment_id = p_move.imported_as AND p.tx_hash = p_move.tx_hash AND p.wallet_id = p_move.wallet_id
     AND t.asset_id = p_move.asset_id AND t.amount = p_move.amount
     AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = p.payment_id);
  IF NOT FOUND THEN
    -- See `explain_loss`.
    SELECT t.* INTO paid FROM transfers_by_id(ARRAY[p_move.imported_as]) t WHERE t.kind = 'internal'
       AND t.asset_id = p_move.asset_id AND t.amount = p_move.amount;
  END IF;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF (SELECT outcome FROM ledger_apply(given, 'internal', paid.credit_account, paid.debit_account, paid.amount, NULL, NULL))
     IS DISTINCT FROM 'applied' THEN
    RAISE EXCEPTION 'what payment % took cannot be given back', p_move.imported_as USING ERRCODE = 'unique_violation';
  END IF;
  PERFORM ledger_settle_debt(p_move.imported_as, p_move.asset_id);
  RETURN given;
END $$;
