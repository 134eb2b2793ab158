-- Whether the account's history contains another movement with this number.
CREATE OR REPLACE FUNCTION books_is_doubled(p_account bigint, p_entry bigint, p_seq bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM ledger_entries(p_account, p_entry + 1, p_entry) e
    WHERE e.entry = p_entry AND (e.transfer).seq <> p_seq);
END $$;
