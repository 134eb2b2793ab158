-- Holds an amount for a payment that the chain has already made. The payment can no longer be refused, so no limit or
-- pause is checked and nothing counts towards limits. The caller has locked the account and made sure that the balance
-- covers the amount. Returns `applied` or, like `ledger_apply`, `duplicate` or `mismatch`.
CREATE OR REPLACE FUNCTION ledger_hold_paid(p_id uuid, p_debit bigint, p_credit bigint, p_amount bigint) RETURNS text
  LANGUAGE plpgsql AS $$
DECLARE
  d   accounts;
  old transfers;
BEGIN
  SELECT * INTO old FROM transfers_by_id(ARRAY[p_id]);
  IF FOUND THEN
    RETURN CASE WHEN (old.kind, old.debit_account, old.credit_account, old.amount) = ('hold', p_debit, p_credit, p_amount)
      THEN 'duplicate' ELSE 'mismatch' END;
  END IF;
  UPDATE accounts SET available = available - p_amount, held = held + p_amount, entries = entries + 1
   WHERE account_id = p_debit RETURNING * INTO d;
  INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, debit_available, debit_held,
    created_at, asset_id, kind, debit_prev)
  VALUES (p_id, ledger_next_place(1), p_debit, p_credit, p_amount, d.entries, d.available, d.held,
    date_trunc('milliseconds', clock_timestamp()), d.asset_id, 'hold', CASE WHEN d.last_entry = d.entries - 1 THEN d.last_seq END);
  RETURN 'applied';
END $$;
