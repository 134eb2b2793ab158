-- The balance of an account after its movement with this number. NULL if the movement cannot be found by its number
-- (see the migration `0010_ledger`).
CREATE OR REPLACE FUNCTION books_balance_after(p_account bigint, p_entry bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  (SELECT t.debit_available FROM transfers t
    WHERE t.debit_account = p_account AND t.debit_entry = p_entry
      AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user'))
  UNION ALL
  (SELECT t.credit_available FROM transfers t
    WHERE t.credit_account = p_account AND t.credit_entry = p_entry
      AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user'))
  LIMIT 1
$$;
