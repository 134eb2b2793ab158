-- The amount that an account held before its movement with this number, from the last earlier movement that changed it.
CREATE OR REPLACE FUNCTION books_held_before(p_account bigint, p_entry bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT t.debit_held FROM transfers t
    WHERE t.debit_account = p_account AND t.debit_entry < p_entry AND t.kind <> 'user' AND t.debit_held IS NOT NULL
    ORDER BY t.debit_entry DESC LIMIT 1), 0)
$$;
