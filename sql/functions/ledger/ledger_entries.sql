-- The rows of an account with numbers from `p_top` − 1 down to `p_bottom`, newest first. It reads no more of them than the
-- caller takes: PostgreSQL makes this a part of the caller's statement, and a LIMIT there ends it. It begins at the next
-- row above that can be found, at most 31 rows higher, and goes from each row to the one it names, or, where it names
-- none, to the number before (see the migration `0013_transfers`).
-- `p_top` is at most one above the account's last row: above that there is nothing to begin at, and nothing is found.
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
