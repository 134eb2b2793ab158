-- The rows of an account with numbers from `p_top` − 1 down to `p_bottom`, newest first. PostgreSQL inlines this
-- function into the caller's statement, so a LIMIT there stops it early. It starts at the nearest indexed row at or
-- above `p_top` − 1, at most 31 rows higher. From each row it follows the link to the previous row, or looks up the
-- previous number if the row has no link (see the migration `0010_ledger`). `p_top` is at most one above the
-- account's last row. If it is higher, there is no row to start from and nothing is found.
CREATE OR REPLACE FUNCTION ledger_entries(p_account bigint, p_top bigint, p_bottom bigint)
RETURNS TABLE (entry bigint, available_after bigint, transfer transfers) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE walk AS (
    (SELECT c.entry, c.transfer FROM (
       (SELECT t.debit_entry AS entry, t AS transfer FROM transfers t
         WHERE t.debit_account = p_account AND t.debit_entry >= p_top - 1
           AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
         ORDER BY t.debit_entry LIMIT 1)
       UNION ALL
       (SELECT t.credit_entry, t FROM transfers t
         WHERE t.credit_account = p_account AND t.credit_entry >= p_top - 1
           AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user')
         ORDER BY t.credit_entry LIMIT 1)
       UNION ALL
       SELECT a.last_entry, t FROM accounts a JOIN transfers t ON t.seq = a.last_seq
        WHERE a.account_id = p_account AND a.last_entry >= p_top - 1) c
      ORDER BY c.entry LIMIT 1)
    UNION ALL
    SELECT w.entry - 1, n.transfer
      FROM (SELECT entry, CASE WHEN (transfer).debit_account = p_account THEN (transfer).debit_prev
                               ELSE (transfer).credit_prev END AS prev
              FROM walk WHERE entry > p_bottom) w,
           LATERAL (
             SELECT t AS transfer FROM transfers t WHERE t.seq = w.prev
             UNION ALL
             SELECT t FROM transfers t
              WHERE w.prev IS NULL AND t.debit_account = p_account AND t.debit_entry = w.entry - 1
                AND (t.debit_prev IS NULL OR t.debit_entry % 32 = 0 OR t.kind <> 'user')
             UNION ALL
             SELECT t FROM transfers t
              WHERE w.prev IS NULL AND t.credit_account = p_account AND t.credit_entry = w.entry - 1
                AND (t.credit_prev IS NULL OR t.credit_entry % 32 = 0 OR t.kind <> 'user')) n
  )
  SELECT entry, CASE WHEN (transfer).debit_account = p_account THEN (transfer).debit_available
                     ELSE (transfer).credit_available END, transfer
    FROM walk WHERE entry < p_top
$$;
